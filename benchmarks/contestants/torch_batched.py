"""PyTorch at its fastest: all members of the grid in batched matrix products, with gradients by hand.

A column is a sample: H1 = s(W [x; 1]), o = A H1, H2 = s(V [o; 1]), out = o + A H2 for each member. All members see the
same batch, so that the first layer is one product. Each product of a gradient is added to mu v in place (``baddbmm_``).
With ``compiled`` a step is a program of torch.compile. Members train in groups; how many a group has, and how many
steps a compiled program, is the fastest of some arrangements, tried before the clock starts.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import torch
from stage import perform
from torch import Tensor

D, K, MOMENTUM = 30, 15, 0.9
TRIED_SECONDS, AGREE = 0.2, 1e-4


class Group(NamedTuple):
    """Weights and momenta of members that train together, their rates and decays, and [o; 1]."""

    W: Tensor  # (members, width, d + 1), as the other W and V with the bias as its last column
    V: Tensor
    A: Tensor
    vW: Tensor
    vV: Tensor
    vA: Tensor
    rates: Tensor
    decays: Tensor
    o: Tensor

    @classmethod
    def start(cls, grid: list[tuple[float, float]], width: int, batch: int) -> "Group":
        shapes = ((width, D + 1), (width, K + 1), (K, width))
        W, V, A = (torch.randn(len(grid), *shape) * width**-0.5 for shape in shapes)
        vW, vV, vA = (torch.zeros_like(w) for w in (W, V, A))
        rates, decays = torch.tensor(grid).T.reshape(2, len(grid), 1, 1)
        return cls(W, V, A, vW, vV, vA, rates, decays, torch.ones(len(grid), K + 1, batch))


def add_gradients(group: Group, x: Tensor, y: Tensor) -> None:
    """v <- mu v + gradient of the mean of |y - out|^2 / 2 over a batch, x (d + 1, batch) and y (k, batch)."""
    W, V, A, vW, vV, vA, _, _, o = group
    (members, width, _), batch = W.shape, x.shape[1]
    h1 = torch.mm(W.view(members * width, D + 1), x).relu_().view(members, width, batch)
    out1 = torch.bmm(A, h1)
    o[:, :K] = out1
    h2 = torch.bmm(V, o).relu_()
    e = torch.baddbmm(out1 - y, A, h2).div_(batch)
    d2 = torch.bmm(A.mT, e).mul_(h2 > 0)
    e1 = torch.baddbmm(e, V[:, :, :K].mT, d2)
    d1 = torch.bmm(A.mT, e1).mul_(h1 > 0)
    vA.baddbmm_(e, h2.mT, beta=MOMENTUM).baddbmm_(e1, h1.mT)
    vV.baddbmm_(d2, o.mT, beta=MOMENTUM)
    vW.view(members * width, D + 1).addmm_(d1.view(members * width, batch), x.mT, beta=MOMENTUM)


def steps(group: Group, X: Tensor, Y: Tensor, factor: Tensor) -> None:
    """A step for each batch of X (batches, d + 1, batch) and Y (batches, k, batch)."""
    for x, y in zip(X.unbind(), Y.unbind(), strict=True):
        add_gradients(group, x, y)
        rates = group.rates * -factor
        for w, v in ((group.W, group.vW), (group.V, group.vV), (group.A, group.vA)):
            v.addcmul_(w, group.decays)
            w.addcmul_(v, rates)


class Grid:
    """The task, its data, and the program that does steps."""

    def __init__(self, task: dict) -> None:
        self.task, self.members = task, task["grid"]
        X = torch.randint(0, 2, (task["samples"], D)).float() * 2 - 1
        F = X[:, 0::2] * X[:, 1::2]
        self.Y = F + 0.3 * F[:, :4].prod(dim=1, keepdim=True) * torch.tensor([(-1.0) ** i for i in range(1, K + 1)])
        self.X = torch.cat([X, torch.ones(len(X), 1)], dim=1)
        self.steps: Callable[..., None] = steps
        if task["compiled"]:  # with C++ around the programs too, which costs less a call than Python
            self.steps = torch.compile(steps, dynamic=False, fullgraph=True, options={"cpp_wrapper": True})

    def train(self, members: list[tuple[float, float]], epochs: int, together: int) -> None:
        """A group of members; ``together`` is how many steps a call does."""
        group = Group.start(members, self.task["width"], self.task["batch"])
        factors = torch.tensor(1.0), torch.tensor(0.1)
        for e in range(epochs):
            rows = torch.randperm(len(self.X))
            batches = (a[rows].view(-1, self.task["batch"], a.shape[1]).mT.contiguous() for a in (self.X, self.Y))
            for x, y in zip(*(b.split(together) for b in batches), strict=True):
                self.steps(group, x, y, factors[2 * e >= epochs])

    def train_all(self, epochs: int, size: int, together: int) -> None:
        for first in range(0, len(self.members), size):
            self.train(self.members[first : first + size], epochs, together)


def check_gradients(grid: Grid) -> None:
    """The gradients by hand are those of autograd."""
    batch = grid.task["batch"]
    group = Group.start(grid.members, grid.task["width"], batch)
    x, y = grid.X[:batch].T.contiguous(), grid.Y[:batch].T.contiguous()
    add_gradients(group, x, y)
    weights = [w.clone().requires_grad_() for w in (group.W, group.V, group.A)]
    with torch.enable_grad():
        W, V, A = weights
        out1 = A @ torch.relu(W @ x)
        out = out1 + A @ torch.relu(V @ torch.cat([out1, torch.ones_like(out1[:, :1])], dim=1))
        (0.5 * ((out - y) ** 2).sum() / batch).backward()
    for name, w, v in zip("WVA", weights, (group.vW, group.vV, group.vA), strict=True):
        difference = float((v - w.grad).norm() / w.grad.norm())
        if not difference < AGREE:
            raise SystemExit(f"The gradient of {name} by hand is off autograd's by {difference:.1e} of its length.")


def fastest(grid: Grid) -> tuple[int, int]:
    """The arrangement (members a group, steps a call) that takes least processor time a member and epoch."""
    seconds = {}
    for size, together in grid.task["arrangements"]:
        members = grid.members[:size]
        grid.train(members, 2, together)
        began, epochs = time.process_time(), 0
        while time.process_time() - began < TRIED_SECONDS:
            grid.train(members, 5, together)
            epochs += 5
        seconds[size, together] = (time.process_time() - began) / epochs / size
    return min(seconds, key=seconds.__getitem__)


def main() -> None:
    task = json.loads(sys.argv[1])
    torch.set_num_threads(task["threads"])
    torch.manual_seed(0)
    grid = Grid(task)
    chosen: list[int] = []

    def warm_up() -> None:
        check_gradients(grid)
        chosen.extend(fastest(grid))
        grid.train_all(1, *chosen)

    with torch.no_grad():
        perform(lambda: grid.train_all(task["epochs"], *chosen), warm_up)


if __name__ == "__main__":
    main()
