"""Real files to start from: a run of each kind, models, estimators, a certificate. Made once, then kept."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from fuzz.kinds import KINDS, ROOT, start, write_sources

PROBLEM = "hard(d=6, k=2, alpha=0.5)"
DONE = "done"


def materials(home: Path, say: Callable[[str], None]) -> Path:
    """The folder of them for the code as it is, made if it is not there."""
    found = hashlib.sha256()
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "fuzz").glob("*.py")]):
        found.update(path.read_bytes())
    folder = home / f"materials-{found.hexdigest()[:12]}"
    if not (folder / DONE).exists():
        say("Making what the inputs start from: a run of each kind, models, a certificate. A minute or two ...")
        draft = home / f"draft-{os.getpid()}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        make(draft)
        (draft / DONE).touch()
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    return folder


def make(folder: Path) -> None:
    write_sources(folder)
    certified = ["certify", "run", str(folder / "runs" / "figure"), "--out", str(folder / "figure.zip")]
    for command in [
        *(kind.command(folder, folder / "runs" / name) for name, kind in KINDS.items()),
        [sys.executable, "-m", "fuzz.kinds", *certified],  # refused, it would hide all that comes after the refusal
        [sys.executable, "-m", "fuzz.materials", str(folder)],
    ]:
        process = start(command, cwd=folder, stdout=subprocess.PIPE)
        _, words = process.communicate()
        if process.returncode not in ((0,) if certified[0] in command else (0, 1)):
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{words}")


def make_files(folder: Path) -> None:
    """What needs no run."""
    import jax
    import numpy as np

    sys.path.insert(0, str(ROOT / "tests"))

    from kernelgap import certificates, estimators, networks, problems
    from kernelgap.audit.models import save_model
    from support import fitted

    for part in ("models", "estimators"):
        (folder / part).mkdir()
    for kind in fitted.KINDS:
        save_model(fitted.table_model(kind), folder / "models" / f"{kind}.safetensors")
    save_model(fitted.table_model("linear", fitted.CLASSES), folder / "models" / "classes.safetensors")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    made = {
        "kernel": estimators.KernelRegressor("ntk2", ridge=0.1).fit(X, y),
        "classes": estimators.KernelClassifier("gaussian", ridge=[0.1, 1.0]).fit(X, np.where(y > 0, "yes", "no")),
        "adaptive": estimators.AdaptiveKernelRegressor(rounds=1, factors=1.0, random_state=0).fit(X, y),
        "precomputed": estimators.KernelRegressor("precomputed", ridge=0.1).fit(X @ X.T, y),
        "resnet": estimators.ResNetRegressor(width=4, epochs=2, random_state=0).fit(X, y),
        "tangent": estimators.TwoLayerRegressor(width=4, train="ntk", epochs=2, random_state=0).fit(X, y),
    }
    shutil.copytree(ROOT / "tests" / "models" / "files", folder / "old")
    for name, estimator in made.items():
        estimator.save(folder / "estimators" / f"{name}.safetensors")
    network = networks.get("3resnet")
    params = [network.init(jax.random.key(seed), inputs=6, outputs=2, width=4) for seed in (3, 4)]
    certificates.certify(
        folder / "cert.zip",
        problems.get(PROBLEM),
        [certificates.TrainedNetwork(network, each) for each in params],
        samples=10,
        seeds=[3, 4],
        kernels=["ck2", "gaussian"],
        method="3resnet(all)",
    )


if __name__ == "__main__":
    make_files(Path(sys.argv[1]))
