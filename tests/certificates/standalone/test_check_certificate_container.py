"""What is no certificate is refused with a reason: nothing of it is computed, and there is no traceback."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.certificates.format3 import PARTS, as_json, make_draft, read_draft, seal, tensors, zipped
from support.certificates.standalone import checker, verdict

DRAFT = make_draft("hard(d=5, k=2, alpha=0.5)", floors=("ck2",), networks=2)
HONEST = DRAFT.sealed()


def changed(**fields):
    """The certificate with fields of claim.json changed; None removes one."""
    draft = DRAFT.copy()
    for path, value in fields.items():
        place, *rest = path.split("__")
        holder = draft.claim
        for key in rest:
            holder, place = holder[int(place) if isinstance(holder, list) else place], key
        if value is REMOVED:
            del holder[place]
        else:
            holder[int(place) if isinstance(holder, list) else place] = value
    return draft.sealed()


REMOVED = object()


def parts(**others):
    own = {**DRAFT.parts(), **{PARTS[int(name[1:])]: content for name, content in others.items()}}
    return seal(own)


def test_the_honest_one_holds():
    assert verdict(HONEST) == (0, [])
    assert verdict(HONEST, every=True) == (0, [])
    assert read_draft(HONEST).sealed() == HONEST


def test_the_archive_is_the_one_that_zipfile_writes():
    assert checker.zipped(DRAFT.parts()) == zipped(DRAFT.parts())


@pytest.mark.parametrize(
    "fields",
    [
        {"version": 2},
        {"version": 3.0},
        {"version": "3"},
        {"version": True},
        {"format": "kernelgap"},
        {"samples": 6.0},
        {"samples": True},
        {"samples": "6"},
        {"samples": 0},
        {"samples": -6},
        {"samples": 10**6},
        {"samples": REMOVED},
        {"extra": 1},
        {"threshold": 0.5},
        {"threshold": "0.5"},
        {"threshold": "2/4"},
        {"threshold": "-1/2"},
        {"threshold": "1/0"},
        {"threshold": " 1/2"},
        {"threshold": "1/2\n"},
        {"threshold": "٣/٤"},
        {"threshold": "1" * 3000},
        {"threshold": None},
        {"mean__risk": "9" * 1999},
        {"mean__upper": 3},
        {"mean__extra": "1"},
        {"mean": []},
        {"target__d": 5.0},
        {"target__d": 31},
        {"target__d": True},
        {"target__background": "repeated"},
        {"target__base__0": 0},
        {"target__base__0__sign": 0},
        {"target__base__0__sign": True},
        {"target__base__0__sign": 1.0},
        {"target__base__0__set": [True]},
        {"target__base__0__set": [0.0]},
        {"target__composite__0": None},
        {"target__composite__0__set": "01"},
        {"network__name": "4layer"},
        {"network__mode": "last"},
        {"network__width": 0},
        {"network__width": 4.0},
        {"network__training": []},
        {"network__bits__out": 21},
        {"network__bits__W": -1},
        {"network__bits__W": 10.0},
        {"network__bits__W": True},
        {"network__bits__V": None},
        {"network__bits__W": 61},
        {"network__bits__W": 0, "network__bits__A": 0, "network__bits__V": 0},
        {"networks": []},
        {"networks": {}},
        {"networks__0__seed": -1},
        {"networks__0__seed": 2**32},
        {"networks__0__seed": 0.0},
        {"networks__0__start": False},
        {"networks__0__risk": 1.5},
        {"networks__0__extra": 1},
        {"any_kernel__scalar__functions": 6.0},
        {"any_kernel__scalar__functions": True},
        {"any_kernel__family_size": "10"},
        {"any_kernel__vector": {}},
        {"floors": {}},
        {"floors__0__low": 1},
        {"floors__0__low": "1"},
        {"floors__0__inputs": 2},
        {"floors__0__inputs": -1},
        {"floors__0__kernel": "ck2\x1b[31m"},
        {"floors__0__kernel": "ck2" * 200},
        {"floors__0__kernel": "median"},
        {"floors__0__kernel": 2},
        {"versions": []},
        {"problem": "hard(d=5)"},
        {"problem": "hard(alpha=0.5, beta=1.0, d=5, d1=5, k=2, noise=0.0, seed=0) "},
        {"problem": "hard(alpha=0.50, beta=1.0, d=5, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(beta=1.0, alpha=0.5, d=5, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=0.0, beta=1.0, d=5, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=nan, beta=1.0, d=5, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=1e999, beta=1.0, d=5, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=True, beta=1.0, d=5, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=0.5, beta=1.0, d=5, d1=6, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=0.5, beta=1.0, d=5000, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=0.5, background='gaussian', beta=1.0, d=6, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "hard(alpha=0.5, background=print(1), beta=1.0, d=6, d1=5, k=2, noise=0.0, seed=0)"},
        {"problem": "sec8"},
        {"problem": "sec8()"},
        {"problem": "convolutional(d=4, patches=2)"},
        {"problem": ""},
        {"problem": "(" * 300},
        {"problem": "parity(d=5, k=6, noise=0.0)"},
        {"problem": "parity(d=5, k=2, noise=-1.0)"},
        {"problem": None},
    ],
)
def test_wrong_claims_are_refused(fields):
    code, reasons = verdict(changed(**fields))
    assert code == 2
    assert len(reasons[0]) < 400
    assert reasons[0].isascii()


def claim_text(old: str, new: str) -> bytes:
    text = DRAFT.parts()[PARTS[0]].decode()
    assert old in text
    return parts(_0=text.replace(old, new, 1).encode())


@pytest.mark.parametrize(
    "content",
    [
        claim_text('"samples": 6', '"samples": 6,\n "samples": 6'),
        claim_text('"samples": 6', '"samples": NaN'),
        claim_text('"samples": 6', '"samples": Infinity'),
        claim_text('"samples": 6', '"samples": 06'),
        claim_text('"samples": 6', '"samples": 6 '),
        claim_text('"low": ', '"low": 1e999, "lower": '),
        claim_text('"rate": 0.1', '"rate": NaN'),
        claim_text('"rate": 0.1', '"rate": "\\ud800 é"'),
        parts(_0=DRAFT.parts()[PARTS[0]][:-1]),
        parts(_0=DRAFT.parts()[PARTS[0]] + b"\n"),
        parts(_0=b"\xef\xbb\xbf" + DRAFT.parts()[PARTS[0]]),
        parts(_0=b"[" * 100_000 + b"]" * 100_000),
        parts(_0=b"1" * 10_000 + b"\n"),
        parts(_0=b'{"a": ' * 3000 + b"1" + b"}" * 3000),
        parts(_0=b""),
        parts(_0=b"null\n"),
        parts(_0=b"[]\n"),
        parts(_0=json.dumps(DRAFT.claim, sort_keys=True).encode() + b"\n"),
        parts(_3=b"[]\n"),
        parts(_3=b"{}\n"),
        parts(_3=as_json([DRAFT.witnesses[0]] * 2)),
    ],
    ids=range(21),
)
def test_other_json_is_refused(content):
    assert verdict(content)[0] == 2


def witness(**fields):
    draft = DRAFT.copy()
    draft.witnesses[0] |= fields
    return draft.sealed()


@pytest.mark.parametrize(
    "fields",
    [
        {"extra": 1},
        {"sigma": []},
        {"sigma": [1]},
        {"sigma": [1, 2, 3]},
        {"sigma": [0, 5]},
        {"sigma": [-1, 5]},
        {"sigma": [1.0, 5]},
        {"sigma": [1, 2**20]},
        {"sigma": ["1", 5]},
        {"weights_bits": -1},
        {"weights_bits": 2**20},
        {"weights_bits": True},
        {"factor_bits": 2**70},
        {"weights": []},
        {"factor": []},
        {"factor": ["1"] * 6},
        *({"weights": [row] * 6} for row in ("1 2 3", "1", "1  2", "0x1 2", "1 -0", "1 +2", "1 01", "1 A", "1 1_0")),
        *({"weights": [row] * 6} for row in ("1 2\n", "1 ٣", [1, 2])),
        *({name: ["f" * 8193] * 6} for name in ("weights", "factor")),
    ],
    ids=lambda fields: str(fields)[:60],
)
def test_wrong_witnesses_are_refused(fields):
    assert verdict(witness(**fields))[0] == 2


@pytest.mark.parametrize("part", ["_0", "_3"])
def test_more_entries_than_any_certificate_has_are_not_read(part):
    code, reasons = verdict(parts(**{part: b"[" + b",".join([b"{}"] * 2**18) + b"]"}))
    assert code == 2
    assert "number of entries" in reasons[0]


def with_arrays(part: int, change) -> bytes:
    arrays = {**(DRAFT.weights if part == 1 else DRAFT.inputs)}
    change(arrays)
    return parts(**{f"_{part}": tensors(arrays)})


def setting(name, array):
    return lambda arrays: arrays.__setitem__(name, array)


@pytest.mark.parametrize(
    "content",
    [
        with_arrays(1, lambda arrays: arrays.pop("0.W")),
        with_arrays(1, lambda arrays: arrays.pop("1.C")),
        with_arrays(1, setting("2.W", DRAFT.weights["0.W"])),
        with_arrays(1, setting("00.W", DRAFT.weights["0.W"])),
        with_arrays(1, setting("0.U", DRAFT.weights["0.W"])),
        with_arrays(1, setting("W", DRAFT.weights["0.W"])),
        with_arrays(1, setting("0.W", DRAFT.weights["0.W"].T)),
        with_arrays(1, setting("0.W", DRAFT.weights["0.W"].astype(np.float32))),
        with_arrays(1, setting("0.W", DRAFT.weights["0.W"].astype(np.int64))),
        with_arrays(1, setting("0.b2", DRAFT.weights["0.b2"].astype(np.int32))),
        with_arrays(1, setting("0.W", DRAFT.weights["0.W"][None])),
        with_arrays(1, setting("0.W", np.zeros((0, 5), np.int32))),
        with_arrays(2, lambda arrays: arrays.pop("0.signs")),
        with_arrays(2, setting("2.signs", DRAFT.inputs["0.signs"])),
        with_arrays(2, setting("0.signs", DRAFT.inputs["0.signs"] * 0)),
        with_arrays(2, setting("0.signs", DRAFT.inputs["0.signs"] * 2)),
        with_arrays(2, setting("0.signs", DRAFT.inputs["0.signs"][:5])),
        with_arrays(2, setting("0.signs", DRAFT.inputs["0.signs"].astype(np.int32))),
        parts(_1=b""),
        parts(_1=b"\0" * 8),
        parts(_1=struct.pack("<Q", 2**63) + b"{}"),
        parts(_2=DRAFT.parts()[PARTS[2]] + b"\0"),
        parts(_2=DRAFT.parts()[PARTS[2]][:-1]),
    ],
    ids=range(23),
)
def test_wrong_tensors_are_refused(content):
    assert verdict(content)[0] == 2


def header(change) -> bytes:
    """The inputs with another header."""
    content = DRAFT.parts()[PARTS[2]]
    size = int.from_bytes(content[:8], "little")
    text = change(content[8 : 8 + size].decode()).encode()
    return parts(_2=len(text).to_bytes(8, "little") + text + content[8 + size :])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"data_offsets":[0,30]', '"data_offsets":[0,29]'),
        ('"data_offsets":[0,30]', '"data_offsets":[1,31]'),
        ('"data_offsets":[0,30]', '"data_offsets":[0,30,60]'),
        ('"data_offsets":[0,30]', '"data_offsets":[]'),
        ('"data_offsets":[0,30]', '"data_offsets":[30,0]'),
        ('"data_offsets":[0,30]', '"data_offsets":[0.0,30]'),
        ('"data_offsets":[30,60]', '"data_offsets":[0,30]'),
        ('"shape":[6,5]', '"shape":[30]'),
        ('"shape":[6,5]', '"shape":[6,5,1]'),
        ('"shape":[6,5]', '"shape":[-6,-5]'),
        ('"shape":[6,5]', '"shape":[6,5000000000]'),
        ('"shape":[6,5]', '"shape":[5,6]'),
        ('"dtype":"I8"', '"dtype":"U8"'),
        ('"dtype":"I8"', '"dtype":["I8"]'),
        ('{"0.signs"', '{"__metadata__":{"a":"b"},"0.signs"'),
        ('"1.signs"', '"0.signs"'),
        ('{"0.signs"', '[{"0.signs"'),
        ("{", " {"),
        ("I8", "é"),
    ],
)
def test_wrong_headers_are_refused(old, new):
    assert old in DRAFT.parts()[PARTS[2]].decode("latin-1")
    assert verdict(header(lambda text: text.replace(old, new, 1)))[0] == 2


def rezipped(change=lambda name, entry: None, order=(*PARTS, "seal.txt"), method=zipfile.ZIP_STORED, comment=b""):
    """The honest parts with their right seal in another archive."""
    content = {**DRAFT.parts(), "seal.txt": zipfile.ZipFile(io.BytesIO(HONEST)).read("seal.txt")}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        file.comment = comment
        for name in order:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr, entry.compress_type = 3, 0o644 << 16, method
            change(name, entry)
            file.writestr(entry, content.get(name, b""))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        rezipped(method=zipfile.ZIP_DEFLATED),
        rezipped(comment=b"hello"),
        rezipped(order=(*PARTS[::-1], "seal.txt")),
        rezipped(order=PARTS),
        rezipped(order=(*PARTS, "seal.txt", "more.txt")),
        rezipped(lambda name, entry: setattr(entry, "date_time", (1980, 1, 2, 0, 0, 0))),
        rezipped(lambda name, entry: setattr(entry, "create_system", 0)),
        rezipped(lambda name, entry: setattr(entry, "external_attr", 0)),
        rezipped(lambda name, entry: setattr(entry, "extra", b"\1\0\0\0")),
        rezipped(lambda name, entry: setattr(entry, "comment", b"hello")),
        HONEST + b"\0",
        b"\0" + HONEST,
        HONEST[:-1],
        HONEST[: len(HONEST) // 2],
        HONEST[4:],
        HONEST[:30],
        b"",
        b"PK\5\6" + b"\0" * 18,
        zipped(DRAFT.parts()),
        zipped({**DRAFT.parts(), "seal.txt": b"0" * 64 + b"\n"}),
        zipped({**DRAFT.parts(), "seal.txt": b""}),
    ],
    ids=range(21),
)
def test_other_archives_are_refused(content):
    assert verdict(content)[0] == 2


def test_rezipping_alone_changes_nothing():
    """The helper above writes the certificate itself if nothing is changed."""
    assert rezipped() == HONEST


def test_single_bytes():
    rng = np.random.default_rng(0)
    for place in rng.integers(len(HONEST), size=200).tolist():
        content = bytearray(HONEST)
        content[place] ^= int(rng.integers(1, 256))
        assert verdict(bytes(content))[0] == 2


@given(st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_refused(content):
    assert verdict(content)[0] == 2


@given(st.integers(0, len(HONEST)), st.integers(0, len(HONEST)), st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_replaced_piece_is_refused(start, stop, piece):
    content = HONEST[: min(start, stop)] + piece + HONEST[max(start, stop) :]
    if content != HONEST:
        assert verdict(content)[0] == 2


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just([]) | st.just({})


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_changed_field_is_refused_or_does_not_hold(data):
    """Any value in any place, with a right seal; fields that are recorded alone may hold anything."""
    draft = DRAFT.copy()
    holder = data.draw(st.sampled_from([draft.claim, draft.witnesses[0]]))
    path = []
    while isinstance(holder, dict | list) and holder:
        keys = sorted(holder) if isinstance(holder, dict) else range(len(holder))
        key = data.draw(st.sampled_from(list(keys)))
        path.append(key)
        if isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
            holder = holder[key]
            continue
        old = holder[key]
        new = data.draw(PLAIN)
        holder[key] = new
        break
    try:
        content = draft.sealed()
    except (ValueError, UnicodeEncodeError):
        return
    recorded = path[0] in ("versions",) or path[:2] in (["network", "mode"], ["network", "training"])
    same = type(old) is type(new) and old == new
    weaker = path[:1] == ["floors"] or path[-1:] in (["start"], ["weights_bits"], ["factor_bits"])
    code = verdict(content)[0]
    assert code in (0, 1, 2)
    if not (recorded or same or weaker):
        assert code != 0
