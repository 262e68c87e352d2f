"""Who does the arithmetic of training: compiled loops for two- and three-layer ReLU networks (``shallow.cpp``)."""

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
from jaxtyping import Float, Float32

from kernelgap import native, networks
from kernelgap.machine import accelerator_asked, threads
from kernelgap.networks import Network, Params
from kernelgap.training.engine import Members, Stretch
from kernelgap.training.modes import Layers, TrainableModel
from kernelgap.training.schedule import Sample, Schedule
from kernelgap.training.sgd import State

# Each network's number in shallow.cpp, and the names of what it calls W, b1, U or V, b2 and A.
NETWORKS: dict[Network, tuple[int, tuple[str, ...]]] = {
    networks.two_layer: (0, ("W", "b1", "", "", "A")),
    networks.two_layer_signs: (0, ("W", "", "", "", "A")),
    networks.three_layer: (1, ("W", "b1", "U", "b2", "A")),
    networks.resnet: (2, ("W", "b1", "V", "b2", "A")),
}
AT_ONCE = 2e10  # operations between two looks at whether somebody has interrupted
FLOATS = ctypes.POINTER(ctypes.c_float)
ARRAYS = FLOATS * 5
SIZE = ctypes.c_int64
ORDER = ctypes.POINTER(ctypes.c_int32)
SHAPE = (ctypes.c_int, SIZE, SIZE, SIZE, ARRAYS)  # which network, d, k, m and its weights
TRAIN = (*SHAPE, ARRAYS, FLOATS, FLOATS, ORDER, SIZE, SIZE, SIZE, FLOATS, ctypes.c_float, ctypes.c_float)
OUTPUTS = (*SHAPE, FLOATS, SIZE, ctypes.c_int, FLOATS)


class NativeEngine:
    """Each member by itself, so that its numbers do not depend on the others; as many at once as there are threads."""

    def __init__(self, library: ctypes.CDLL, network: Network, frozen: Params, schedule: Schedule) -> None:
        library.kernelgap_train.argtypes, library.kernelgap_outputs.argtypes = TRAIN, OUTPUTS
        self.library, self.schedule = library, schedule
        self.kind, self.names = NETWORKS[network]
        self.frozen = {name: _floats(w) for name, w in frozen.items()}

    def group_size(self, members: int) -> int:
        return min(members, threads())

    def advance(self, state: State, group: Members, sample: Sample, stretch: Stretch) -> None:
        x, y = _floats(sample.x), _floats(sample.y)
        rates, decays, orders, first, stop = stretch
        factors = np.array([self.schedule.factor(epoch, np) for epoch in range(first, stop)], dtype=np.float32)
        operations = 6 * len(x) * sum(w[0].size for w in state.trained.values())  # of an epoch, about
        at_once = max(1, int(AT_ONCE // operations))

        def train(place: int, interrupted: Event) -> None:
            member = group[place]
            rate = np.float32(rates[place]) * factors
            momenta = self._pointers({name: v[member] for name, v in state.momentum.items()})
            for at in range(0, stop - first, at_once):
                if interrupted.is_set():
                    return
                order = np.ascontiguousarray(orders[at : min(at + at_once, stop - first)])
                data = _pointer(x), _pointer(y), order.ctypes.data_as(ORDER), len(x), self.schedule.batch, len(order)
                step = _pointer(rate[at:]), float(decays[place]), self.schedule.momentum
                _check(self.library.kernelgap_train(*self._shape(state, member, sample), momenta, *data, *step))

        _run(train, len(group))

    def squared_errors(
        self, state: State, group: Members, sample: Sample, *, first: bool = False
    ) -> Float[np.ndarray, "group n"]:
        x, y = _floats(sample.x), _floats(sample.y)
        errors = np.empty((len(group), len(x)))

        def judge(place: int, interrupted: Event) -> None:
            out = np.empty_like(y)
            shape = self._shape(state, group[place], sample)
            _check(self.library.kernelgap_outputs(*shape, _pointer(x), len(x), int(first), _pointer(out)))
            with np.errstate(invalid="ignore", over="ignore"):
                errors[place] = np.square(y - out).sum(axis=1)

        _run(judge, len(group))
        return errors

    def _shape(self, state: State, member: int, sample: Sample) -> tuple[object, ...]:
        weights = {**self.frozen, **{name: w[member] for name, w in state.trained.items()}}
        return self.kind, sample.x.shape[1], sample.y.shape[1], len(weights["W"]), self._pointers(weights)

    def _pointers(self, arrays: Params) -> "ctypes.Array[ctypes._Pointer[ctypes.c_float]]":
        """Pointers into the arrays themselves; null for what the network does not have or does not train."""
        return ARRAYS(*(_pointer(np.asarray(arrays[name])) if name in arrays else FLOATS() for name in self.names))


def native_engine(model: TrainableModel, frozen: Params, schedule: Schedule) -> NativeEngine | None:
    """The engine of compiled loops, if it knows the network, this machine can compile it, and no GPU is asked for.

    Parameters
    ----------
    model, frozen
        What is trained, and the weights that are not.
    schedule
        How it is trained.

    Returns
    -------
    NativeEngine or None
    """
    if accelerator_asked() or not isinstance(model, Layers) or model.network not in NETWORKS:
        return None
    library = native.load(Path(__file__).with_name("shallow.cpp"))
    return None if library is None else NativeEngine(library, model.network, frozen, schedule)


def _run(work: Callable[[int, Event], None], count: int) -> None:
    """All of the work, each part on a thread of its own if there are several; an interruption ends all of them."""
    interrupted = Event()
    if count == 1:
        return work(0, interrupted)
    with ThreadPoolExecutor(count) as pool:
        parts = [pool.submit(work, place, interrupted) for place in range(count)]
        try:
            for part in parts:
                part.result()
        finally:
            interrupted.set()
    return None


def _floats(a: object) -> Float32[np.ndarray, "..."]:
    return np.ascontiguousarray(a, dtype=np.float32)


def _pointer(a: Float32[np.ndarray, "..."]) -> "ctypes._Pointer[ctypes.c_float]":
    assert a.flags.c_contiguous
    return a.ctypes.data_as(FLOATS)


def _check(code: int) -> None:
    if code:
        raise MemoryError("There is no memory for the activations of a batch: take a smaller width or batch.")
