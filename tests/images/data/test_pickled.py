"""Pickled data are read; programs are refused where they begin, and nothing of them runs."""

import builtins
import collections
import contextlib
import os
import pickle
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelgap.errors import InputError
from kernelgap.images.data.pickled import read_pickled
from support.image_files import python2_pickle

PLAIN = st.recursive(
    st.integers(-(2**40), 2**40) | st.text(max_size=5) | st.binary(max_size=5) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN, st.sampled_from([2, 3, 4, 5]))
def test_plain_data(held, protocol):
    assert read_pickled(pickle.dumps(held, protocol=protocol), "x") == held


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_bytes(rng, protocol, order):
    values = np.asarray(rng.integers(0, 256, (3, 4)), np.uint8, order=order)
    found = read_pickled(pickle.dumps([values, (1, "a")], protocol=protocol), "x")
    np.testing.assert_array_equal(found[0], values)
    assert found[1] == (1, "a")


def test_python_2(rng):
    values = rng.integers(0, 256, (3, 4)).astype(np.uint8)
    content = python2_pickle(values, labels=[1, 2], names=["Ab"])
    assert pickle.loads(content, encoding="bytes")[b"data"].tolist() == values.tolist()  # ours, and to be trusted
    found = read_pickled(content, "x")
    np.testing.assert_array_equal(found[b"data"], values)
    assert found[b"labels"] == [1, 2]
    assert found[b"names"] == [b"Ab"]


class Hostile:
    def __init__(self, function, *arguments):
        self.what = function, arguments

    def __reduce__(self):
        return self.what


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("function", [os.system, builtins.eval, builtins.exec, subprocess.Popen, builtins.getattr])
def test_a_program_is_refused_and_not_run(tmp_path, protocol, function):
    mark = tmp_path / "ran"
    text = f"touch {mark}" if function in (os.system, subprocess.Popen) else f"open({str(mark)!r}, 'w')"
    program = pickle.dumps({"data": Hostile(function, text)}, protocol=protocol)
    with pytest.raises(InputError, match=r"^evil is refused at byte \d+ \([A-Z_]+\): .*Nothing in it was run\.$"):
        read_pickled(program, "evil")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (b"\x80\x02cos\nsystem\n(U\x04truetR.", r"at byte 2 \(GLOBAL\): it asks for 'os system'"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", r"at byte 14 \(STACK_GLOBAL\): it asks for 'os system'"),
        (b"\x80\x02(U\x04trueios\nsystem\n.", r"at byte 9 \(INST\): plain data have no such step"),
        (b"\x80\x02(cnumpy\nndarray\nK\x01o.", r"\(OBJ\): plain data have no such step"),
        (b"\x80\x02cnumpy\nndarray\n)\x81.", r"\(NEWOBJ\)"),
        (b"\x80\x02\x82\x01.", r"\(EXT1\)"),
        (b"\x80\x02U\x01aQ.", r"\(BINPERSID\)"),
        (b"\x80\x05\x97.", r"\(NEXT_BUFFER\)"),
        (b"\x80\x02cnumpy\nndarray\n.", "ndarray stands where data should"),
        (b"\x80\x02cnumpy\nndarray\nK\x01\x85R.", r"\(REDUCE\): it calls something"),
        (b"\x80\x02cnumpy\ndtype\nU\x01O\x85R.", "something other than unsigned bytes"),
        (b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n\x85R.", "announced and not filled"),
        (b"\x80\x02}}b.", r"\(BUILD\): it changes something"),
        (b"\x80\x02}(])K\x01u.", r"\(SETITEMS\): it sets the entries"),
        (b"\x80\x02})K\x01s.", "key is neither text nor a number"),
        (b"\x80\x02}K\x01a.", "appends to what is no list"),
        (b"\x80\x02h\x07.", "recalls what was not remembered"),
        (b"\x80\x02R.", "takes something that is not there"),
        (b"\x80\x02t.", "takes something that is not there"),
        (b"\x80\x02.", "not complete"),
        (b"\x80\x02(K\x01.", "not complete"),
        (b"\x80\x02K\x01.K", "the data end here, and 1 more bytes follow"),
        (b"\x80\x02c_codecs\nencode\nX\x03\x00\x00\x00\xe2\x82\xacU\x06latin1\x86R.", "characters that are none"),
        (b"\x80\x02X\xff\xff\xff\x7f", "cut short or no pickle"),
        (b"\xff", "cut short or no pickle"),
        (b"", r"at byte 0 \(start\)"),
    ],
)
def test_each_forbidden_step(program, message):
    with pytest.raises(InputError, match=message):
        read_pickled(program, "x")


def test_other_arrays_and_objects():
    for held in (np.zeros(2), np.array([None]), np.int64(3), 1.5, {1, 2}, collections.OrderedDict(a=1), slice(3)):
        for protocol in (2, 4, 5):
            with pytest.raises(InputError, match="refused at byte"):
                read_pickled(pickle.dumps(held, protocol=protocol), "x")


def test_an_array_with_too_few_bytes():
    good = python2_pickle(np.zeros((2, 3), np.uint8))
    with pytest.raises(InputError, match="an array of 3 x 3 is announced, with 6 bytes"):
        read_pickled(good.replace(b"M\x02\x00M\x03", b"M\x03\x00M\x03"), "x")


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_every_cut_and_every_changed_byte_is_refused_or_read_as_data():
    good = python2_pickle(np.arange(6, dtype=np.uint8).reshape(2, 3), labels=[1, 2])
    for length in range(len(good)):
        with pytest.raises(InputError, match="refused at byte"):
            read_pickled(good[:length], "x")
    rng = np.random.default_rng(1)
    for place in range(len(good)):
        for value in rng.integers(0, 256, 4).tolist():
            with contextlib.suppress(InputError):  # and no other error
                read_pickled(good[:place] + bytes([value]) + good[place + 1 :], "x")
