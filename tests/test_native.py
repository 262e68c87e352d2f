"""Compiling, keeping and doing without."""

import os

import pytest

from kernelgap import native

SOURCE = 'extern "C" int answer() { return 42; }\n'
needs_compiler = pytest.mark.skipif(native._compiler() is None, reason="there is no compiler here")


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv(native.VARIABLE, raising=False)
    native._load.cache_clear()
    path = tmp_path / "answer.cpp"
    path.write_text(SOURCE)
    yield path
    native._load.cache_clear()


@needs_compiler
def test_compiled_once_and_kept(source, tmp_path):
    library = native.load(source)
    assert library is not None
    assert library.answer() == 42
    (kept,) = (tmp_path / "cache").rglob("*.so")
    before = kept.stat().st_mtime_ns
    native._load.cache_clear()
    assert native.load(source).answer() == 42
    assert [p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*.so")] == [before]
    assert not [p for p in kept.parent.iterdir() if p != kept]  # nothing half made is left


@needs_compiler
def test_another_source_is_another_program(source):
    assert native.load(source).answer() == 42
    native._load.cache_clear()
    source.write_text(SOURCE.replace("42", "43"))
    assert native.load(source).answer() == 43


@pytest.mark.parametrize("variable", ["off", "OFF"])
def test_off(source, monkeypatch, variable):
    monkeypatch.setenv(native.VARIABLE, variable)
    assert native.load(source) is None


def test_without_a_folder(source, monkeypatch):
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", "off")
    assert native.load(source) is None


def test_without_a_compiler(source, monkeypatch, recwarn):
    monkeypatch.setenv("PATH", "")
    assert native.load(source) is None
    assert not recwarn.list


@needs_compiler
def test_what_does_not_compile_is_warned_of(source):
    source.write_text("this is no C++\n")
    with pytest.warns(RuntimeWarning, match=r"answer.cpp could not be compiled .*KERNELGAP_NATIVE=off"):
        assert native.load(source) is None


@needs_compiler
def test_a_folder_that_cannot_be_made_is_warned_of(source, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="could not be compiled"):
        assert native.load(source) is None


@needs_compiler
def test_somebody_elses_program_is_not_loaded(source, monkeypatch):
    native.load(source)
    native._load.cache_clear()
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert native.load(source) is None
