"""Files that are no certificates, and certificates that are refused before anything is computed."""

import os
import time
import zipfile

import numpy as np
import pytest
from safetensors.numpy import load, save

from kernelgap import problems
from kernelgap.certificates import certify, verify
from kernelgap.certificates.files.limits import bounded_network
from kernelgap.certificates.files.sealed import SEAL, read_sealed, write_sealed
from kernelgap.errors import InputError
from support.certificates.certified import PROBLEM
from support.certificates.forged import in_claim, in_weights, reseal


def test_every_changed_byte_is_refused(certificate, tmp_path, rng):
    content = certificate[0].read_bytes()
    places = set(range(40)) | set(range(len(content) - 400, len(content)))  # headers, seal and directory: all of them
    places |= set(rng.integers(0, len(content), 300).tolist())
    for place in sorted(places):
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        (tmp_path / "changed.zip").write_bytes(changed)
        with pytest.raises(InputError, match="refused"):
            read_sealed(tmp_path / "changed.zip")
    for other in (content[:-1], content + b"\0", b"x" + content, content[:100], b""):
        (tmp_path / "changed.zip").write_bytes(other)
        with pytest.raises(InputError, match="refused"):
            read_sealed(tmp_path / "changed.zip")


def twice(content):
    return content.replace(b' "samples": 20', b' "samples": 1,\n "samples": 20')


def many_entries(_):
    return b"[" + b",".join([b"{}"] * 2**18) + b"]"


ESCAPE = "3resnet\x1b[2J"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"claim": lambda _: b"[]"}, "no JSON object"),
        ({"claim": lambda _: b"\xff"}, "no JSON object"),
        ({"claim": lambda _: b"{" * 10**5}, "no JSON object"),
        ({"claim": lambda _: b'{"a":' * 10**4}, "no JSON object"),
        ({"claim": lambda content: content.decode().encode("utf-16")}, "no JSON object"),
        ({"claim": lambda content: b"\xef\xbb\xbf" + content}, "no JSON object"),
        ({"claim": lambda content: b" " * 2**22 + content}, "larger than any certificate's"),
        ({"claim": many_entries}, "more entries than any certificate's"),
        ({"witnesses": many_entries}, "more entries than any certificate's"),
        ({"claim": lambda content: content + b" "}, "not written as a certificate writes it"),
        ({"claim": twice}, "keys given twice"),
        ({"claim": in_claim("version", value=1)}, "is missing"),
        ({"claim": in_claim("samples", value="20")}, "samples = '20' is not possible"),
        ({"claim": in_claim("samples", value=20.0)}, "samples = 20.0 is not possible"),
        ({"claim": in_claim("samples", value=True)}, "samples = True is not possible"),
        ({"claim": in_claim("threshold", value="0.75")}, "threshold = '0.75' is not possible"),
        ({"claim": in_claim("threshold", value="6/8")}, "threshold = '6/8' is not possible"),
        ({"claim": in_claim("threshold", value="3/0")}, "threshold = '3/0' is not possible"),
        ({"claim": in_claim("threshold", value="1" * 3000)}, "threshold"),
        ({"claim": in_claim("mean", "upper", value=0.5)}, "mean.upper = 0.5 is not possible"),
        ({"claim": in_claim("floors", 0, "high", value=float("nan"))}, "floors.0.high"),
        ({"claim": in_claim("floors", 0, "high", value=float("inf"))}, "floors.0.high"),
        ({"claim": in_claim("floors", 0, "inputs", value=2)}, "a network that is not there"),
        ({"claim": in_claim("networks", value=[])}, "networks"),
        ({"claim": in_claim("networks", value=lambda v: v[:1])}, "the tensors in weights.safetensors"),
        ({"claim": in_claim("network", "bits", "out", value=19)}, "units of 2"),
        ({"claim": in_claim("network", "bits", "W", value=40)}, "too large, or too coarse"),
        ({"claim": in_claim("network", "bits", "W", value=-1)}, "network.bits.W = -1 is not possible"),
        ({"claim": in_claim("network", "name", value="2layer")}, "a 2layer has no V whose bits"),
        ({"claim": in_claim("network", "name", value="3resnet-gated")}, "a network of a certificate is one of 2layer"),
        ({"claim": in_claim("network", "method", value="gaussian kernel ridge regression")}, "network.method"),
        ({"claim": in_claim("network", "rounding", value=0.2)}, "network.rounding"),
        ({"claim": in_claim("network", "mode", value="gaussian")}, "network.mode"),
        ({"claim": in_claim("network", "name", value=ESCAPE)}, r"\\x1b\[2J"),
        ({"claim": in_claim("network", "training", value={"a": {"b": {"c": 1}}})}, "network.training"),
        ({"claim": in_claim("network", "training", value={"\u202e": 1})}, r"network.training.\\u202e"),
        ({"claim": in_claim("sentence", value="The network wins.")}, "sentence"),
        ({"claim": in_claim("problem", value="nothing")}, "Unknown problem 'nothing'"),
        ({"claim": in_claim("problem", value="hard(d=9, k=3, alpha=0.5)")}, "writes its problem as"),
        ({"claim": in_claim("floors", 0, "kernel", value="ntk(depth=1)")}, "writes this kernel as 'ntk2'"),
        ({"claim": in_claim("network", "name", value="4resnet")}, "is one of 2layer, .* not '4resnet'"),
        ({"weights": lambda _: b"no tensors"}, "the tensors in weights.safetensors"),
        ({"weights": lambda _: save({"W": np.zeros((2, 2), np.float32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(more=np.zeros(3, np.float32))}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b1": lambda b: b.astype(np.complex64)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b1": lambda b: b.astype(np.float32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b1": lambda b: b.astype(np.int64)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b2": lambda b: b.astype(np.int32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.W": lambda w: w[:, :8]})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"2.W": np.zeros((8, 9), np.int32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.W": lambda w: w | np.int32(2**30)})}, "too large, or too coarse"),
        ({"witnesses": lambda _: b"[]"}, "has 0 witnesses for 2 floors"),
        ({"witnesses": lambda _: b"{}"}, "not written as a certificate writes it"),
        ({"witnesses": lambda content: content + b" "}, "not written as a certificate writes it"),
        ({"witnesses": lambda content: content.replace(b'"weights"', b'"weight"')}, "not written as a certificate"),
        ({"witnesses": lambda content: content.replace(b'"factor": [\n   "', b'"factor": [\n   "0x')}, "hexadecimal"),
        ({"witnesses": lambda content: content.replace(b'"factor": [\n   "', b'"factor": [\n   "00')}, "hexadecimal"),
        ({"weights": lambda content: save(load(content), {"note": "hello"})}, "the tensors in weights.safetensors"),
        ({"weights": lambda c: (2**60).to_bytes(8, "little") + c[8:]}, "the tensors in weights.safetensors"),
        ({"inputs": lambda _: save({"other": np.zeros(3, np.int8)})}, "the tensors in inputs.safetensors"),
        ({"inputs": in_weights(**{"0.signs": np.ones((20, 9), np.int16)})}, "the tensors in inputs.safetensors"),
        ({"inputs": in_weights(**{"1.signs": np.ones((19, 9), np.int8)})}, "the tensors in inputs.safetensors"),
        ({"inputs": in_weights(**{"1.signs": np.zeros((20, 9), np.int8)})}, "are not signs"),
        ({"inputs": in_weights(**{"1.signs": np.full((20, 9), -128, np.int8)})}, "are not signs"),
    ],
)
def test_nonsense_is_refused_with_the_reason(certificate, tmp_path, changes, reason):
    with pytest.raises(InputError, match=reason) as refusal:
        verify(reseal(certificate[0], tmp_path / "forged.zip", **changes))
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 600


HOSTILE = {
    "samples": [20_000, 10**9, 10**18, 10**40],
    "seed": [2**32, 10**40],
    "risk": ["9" * 10**5, "1/" + "9" * 10**5, "9" * 1999, str(10**18 + 1)],
    "needed": [10**19, 10**400, 10**4000],
    "sets": [[10**40], list(range(10**5))],
    "problem": [
        "hard(d=1000000000, k=3, alpha=0.5)",
        "hard(alpha=1e+200, beta=1.0, d=9, d1=9, k=3, noise=0.0, seed=0)",
        f"hard(d={'-' * 250}3, k=3)",
        f"hard(d={'(' * 150}3{')' * 150}, k=3)",
        "hard(d=9**9**9, k=3, alpha=0.5)",
        f"hard(d={'9' * 280}, k=3, alpha=0.5)",
        "hard(alpha=0.5, beta=1.0, d=31, d1=31, k=3, noise=0.0, seed=0)",
        "concept1(d=10000000)",
    ],
    "kernel": [
        "polynomial(degree=100000000)",
        "ck(depth=100000000)",
        "ntk(depth=1000)",
        "gaussian(bandwidth=1e+300)",
        "gaussian",  # takes its bandwidth from data
        "precomputed",
        "+".join(["ck2"] * 100),
        "random_features(count=1000000000)",
    ],
    "name": ["resnet-999", "3resnet-conv(patches=1000000000)", "conv-resnet-8(image=(99999999, 9999999, 9))"],
    "width": [10**9, 10**18],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field in HOSTILE for value in HOSTILE[field]])
def test_hostile_sizes_are_refused_at_once(certificate, tmp_path, field, value):
    path = {"kernel": ("floors", 0, "kernel"), "name": ("network", "name"), "width": ("network", "width")}
    path |= {"needed": ("any_kernel", "scalar", "samples_for_mean")}
    path |= {"seed": ("networks", 0, "seed"), "risk": ("networks", 0, "risk"), "sets": ("target", "base", 0, "set")}
    claim = in_claim(*path.get(field, (field,)), value=value)
    began = time.perf_counter()
    with pytest.raises(InputError, match="is refused"):
        verify(reseal(certificate[0], tmp_path / "hostile.zip", claim=claim))
    assert time.perf_counter() - began < 120  # it does not hang; machines are busy


def test_more_work_than_hours_is_refused():
    sec8 = problems.get("sec8")
    assert bounded_network("3resnet", sec8, 1000).name == "3resnet"
    with pytest.raises(InputError, match="more than a certificate may ask"):
        bounded_network("3layer", sec8, 10_000)


def test_files_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero", "x" * 300, "a\0b"):
        with pytest.raises(InputError, match="could not be read"):
            verify(path)
    with (tmp_path / "large.zip").open("wb") as file:
        file.truncate(2**40)  # takes no room
    with pytest.raises(InputError, match="larger than any certificate"):
        verify(tmp_path / "large.zip")


def test_bombs_are_refused_before_they_are_read(certificate, tmp_path):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("claim.json", b"0" * 10**7)
    with pytest.raises(InputError, match="compressed"):
        verify(bomb)
    with zipfile.ZipFile(bomb, "w") as file:
        for i in range(1000):
            file.writestr(f"{i}", b"")
    with pytest.raises(InputError, match="damaged, or no certificate"):
        verify(bomb)
    content = bytearray(certificate[0].read_bytes())
    entry = content.rindex(b"PK\1\2", 0, content.rindex(b"PK\1\2"))
    content[entry + 20 : entry + 28] = (2**31).to_bytes(4, "little") * 2  # a part of 2 GiB, it says
    bomb.write_bytes(content)
    with pytest.raises(InputError, match="larger than it is"):
        verify(bomb)
    more = {**read_sealed(certificate[0]), "more.txt": b"hello"}
    with pytest.raises(InputError, match="other parts than a certificate has"):
        verify(write_sealed(bomb, more))


def test_files_that_are_no_certificates(tmp_path):
    with pytest.raises(InputError, match="could not be read"):
        verify(tmp_path / "none.zip")
    with pytest.raises(InputError, match="could not be read"):
        verify(tmp_path)
    write_sealed(tmp_path / "other.zip", {"letter.txt": b"hello"})
    with pytest.raises(InputError, match=r"it has no claim\.json"):
        verify(tmp_path / "other.zip")
    with pytest.raises(InputError, match="could not be written"):
        write_sealed(tmp_path / "missing" / "cert.zip", {})
    assert SEAL not in read_sealed(tmp_path / "other.zip")
    with pytest.raises(InputError, match="about trained networks"):
        certify(tmp_path / "cert.zip", problems.get(PROBLEM), lambda X: X, samples=20)
