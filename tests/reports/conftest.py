"""What tests of pages do without."""

import pytest

from kernelgap.reports.common import page, render


@pytest.fixture
def no_bundle(monkeypatch):
    """The drawing library is large and the same in all pages: the browser's tests have it."""
    monkeypatch.setattr(render.vl_convert, "javascript_bundle", lambda **_: "/* </script><!-- */")


@pytest.fixture
def no_pictures(monkeypatch):
    monkeypatch.setattr(page, "_save", lambda folder, pictures, until: list(pictures))
