"""Compiled programs are kept: a second process compiles nothing, and no bit of the results changes."""

import json
import os
import subprocess
import sys
import zlib

import pytest

from kernelgap.runs.workers import compiled
from support import survival

# Run a chunk as a worker does; print the results and what was compiled.
WORKER = """
import collections, json
import jax
from support import tiny
from kernelgap.runs import plan_chunks, run_chunk
from kernelgap.runs.workers.compiled import keep_programs
heard = collections.Counter()
jax.monitoring.register_event_listener(lambda event, **more: heard.update([event.rsplit("/", 1)[1]]))
where = keep_programs()
chunks = [c for c in plan_chunks(tiny.tiny.trials("quick", 0)) if c.label.startswith("2layer(hidden) width 4")]
results = [repr((r.test_error.hex(), r.curves)) for c in chunks for r in run_chunk(c).results]
print(json.dumps({"where": str(where), "results": results, **heard}))
"""


def worker(programs):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(survival.TINY.parents[1])])}
    environment |= {"KERNELGAP_CACHE_DIR": str(programs), "XDG_CACHE_HOME": "/nowhere", "KERNELGAP_NATIVE": "off"}
    done = subprocess.run([sys.executable, "-c", WORKER], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_second_process_compiles_nothing(tmp_path):
    without, first, second = worker("off"), worker(tmp_path), worker(tmp_path)
    assert without["where"] == "None"
    assert "cache_misses" not in without
    assert first["cache_misses"] == first["compile_requests_use_cache"] > 0  # how many is up to JAX
    assert "cache_misses" not in second
    assert second["cache_hits"] == second["compile_requests_use_cache"] == first["compile_requests_use_cache"]
    assert without["results"] == first["results"] == second["results"]


def test_where_programs_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", str(tmp_path))
    assert compiled.programs_folder().parent == tmp_path
    for off in ("off", "OFF", ""):
        monkeypatch.setenv("KERNELGAP_CACHE_DIR", off)
        assert compiled.programs_folder() is None
        assert compiled.keep_programs() is None
    monkeypatch.delenv("KERNELGAP_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert compiled.programs_folder().parent == tmp_path / "kernelgap"


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", str(tmp_path / "file"))
    assert compiled.keep_programs() is None


def test_the_person_s_own_setting_stands(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "/elsewhere")
    assert compiled.keep_programs() is None
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def entries(tmp_path):
    """Three programs of 1000 bytes, an hour old, of which the second is cut and the third a second old."""
    whole = zlib.compress(os.urandom(980), level=0)
    now = os.stat(tmp_path).st_mtime
    for name, data, age in (("a", whole, 3600), ("b", whole[:-50], 3600), ("c", whole[:-50], 1)):
        (tmp_path / f"{name}-cache").write_bytes(data)
        os.utime(tmp_path / f"{name}-cache", (now - age, now - age))
    return tmp_path


def names(folder):
    return sorted(path.name[0] for path in folder.glob("*-cache"))


def test_half_a_program_is_dropped(entries):
    compiled.tidy(entries)
    assert names(entries) == ["a", "c"]  # c may still be being written


def test_the_oldest_programs_are_dropped(entries, monkeypatch):
    monkeypatch.setattr(compiled, "MOST", 1000)
    compiled.tidy(entries)
    assert names(entries) == ["c"]
