"""A problem, a network, a kernel, an experiment, a claim and a contender of your own, registered by name.

Run it: python examples/my_extension.py
With the command: KERNELGAP_EXTENSIONS=my_extension PYTHONPATH=examples kernelgap run mine
"""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from sklearn.neighbors import KNeighborsRegressor

import kernelgap as kg
from kernelgap.audit import contenders
from kernelgap.audit.contenders import SettingErrors, View
from kernelgap.kernels.formulas.inner_kernel import InnerKernel
from kernelgap.networks import Network, Weight
from kernelgap.paper import claims, figures
from kernelgap.training import Schedule


class ThreeSigns(kg.problems.Problem):
    """F = x_1 and G(F) = x_1 x_2 x_3, on {-1,1}^d."""

    name, outputs, beta, noise = "three-signs", 1, 1.0, 0.0

    def __init__(self, d: int = 10, alpha: float = 0.5) -> None:
        self.d, self.alpha = d, alpha

    @property
    def spec(self) -> str:
        return f"three_signs(alpha={self.alpha!r}, d={self.d})"

    def inputs(self, rng, n):
        return rng.choice([-1.0, 1.0], size=(n, self.d))

    def base(self, X):
        return X[:, :1]

    def composite(self, X):
        return self.alpha * X[:, :3].prod(axis=1, keepdims=True)

    @property
    def threshold(self) -> float:
        return self.alpha**2


kg.problems.register("three_signs", ThreeSigns)


def weights(d, k, m):
    return {"W": Weight((m, d), "first"), "b1": Weight((m,), "first"), "A": Weight((k, m), "output")}


def features(params, x):
    return jnp.tanh(x @ params["W"].T + params["b1"])


def apply(params, x):
    return features(params, x) @ params["A"].T


kg.networks.register("2layer-tanh", Network("2layer-tanh", "A tanh(Wx + b1)", weights, features, apply))


@dataclass(frozen=True, repr=False)
class Hemispheres(InnerKernel):
    """1 - angle(x, z) / pi: the share of half-spaces that do not part x and z."""

    name = "hemispheres"

    def formula(self, pairs):
        return 1 - pairs.polar.angle / pairs.arithmetic.pi


kg.kernels.register("hemispheres", Hemispheres)

experiment = figures.register(
    figures.Experiment(
        name="mine",
        title="Three signs: a tanh network against kernels",
        source="my_extension.py",
        problem="three_signs(d=10, alpha=0.5)",
        samples=100,
        scales={
            "quick": figures.Scale(
                grids=(
                    figures.Grid("2layer-tanh", "all", (20,), (0.05, 0.1), (0.0,)),
                    figures.KernelLines(("hemispheres", "ntk2"), (0.01, 1.0)),
                ),
                seeds=1,
                expected_time="seconds",
                schedule=Schedule(epochs=50, batch=10),
                validation_samples=500,
                test_samples=500,
            )
        },
    )
)


def measure(scale: str, seed: int) -> dict[str, float]:
    X, _ = ThreeSigns().sample(1000 if scale == "quick" else 100_000, seed)
    return {"mean": float(np.mean(ThreeSigns().composite(X)))}


def judge(numbers) -> claims.Verdict:
    return claims.holds_if(abs(numbers["mean"]) < 0.1, f"{numbers['mean']:.3f}", "It has mean 0 by symmetry.")


claims.register(claims.Claim("mine.mean", "my_extension.py", "The composite signal has mean 0.", "0", measure, judge))


class NearestNeighbours:
    """The mean target of the nearest rows."""

    def judge(self, view: View, on_progress) -> SettingErrors:
        counts = [1.0, 2.0, 4.0, 8.0][: view.search_budget.fits]
        errors = [view.error(self._fitted(view.X, view.Y, count).outputs(view.X_val)) for count in counts]
        return SettingErrors({"neighbours": counts}, errors, fits=len(counts))

    def fit(self, view: View, setting):
        whole = view.train_plus_validation
        return self._fitted(whole.X, whole.Y, setting["neighbours"])

    @staticmethod
    def _fitted(X, Y, count):
        model = KNeighborsRegressor(int(count)).fit(X, Y)
        model.outputs = lambda rows: model.predict(rows).reshape(len(rows), -1)
        return model


contenders.register(
    "neighbours", NearestNeighbours, family="baseline", seconds=lambda samples, inputs, outputs: 1e-8 * samples**2
)


def main(out: str = "runs/mine") -> dict[str, float]:
    run = kg.run("mine", out=out, workers=1)
    best = run.summary.groupby("method").best_on_validation.min()
    for method, error in best.items():
        print(f"{method:15} test error {error:.3f}, threshold {run.threshold}")
    return dict(best)


if __name__ == "__main__":
    import my_extension  # as a module, so that worker processes find it

    my_extension.main()
