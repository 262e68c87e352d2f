"""The page in a real browser: nothing on the console, nothing asked of the network, every chart drawn."""

from dataclasses import replace

import pytest

from support import browser as browsers
from support.figure_runs import Invented


@pytest.fixture(scope="module")
def browser():
    with browsers.chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    run = Invented()
    for seed in (0, 1):
        for width, error in ((4, 0.5), (8, 0.05)):
            for rate, factor in ((0.1, 1.0), (0.2, 0.6), (0.4, float("inf"))):
                run.sgd(error * factor, error * factor * (1 + seed / 5), width=width, rate=rate, seed=seed)
        run.sgd(0.4, 0.5, network="2layer", seed=seed).sgd(0.5, 0.3, network="2layer", rate=0.2, seed=seed)
        run.ridge(1.0, 1.1, seed=seed)
    gap = {"sentence": "A gap of 50 times.", "ratio": 50.0, "needed": 1000, "error": 0.05}
    return replace(run.write(folder), gap=gap).report()


@pytest.fixture
def opened(browser, report, request):
    """The page at a width and in a scheme of colours, with what it complained of and asked for."""
    page, said, asked = open_page(browser, report, *getattr(request, "param", (1280, "light")))
    yield page, said, asked
    page.context.close()


def open_page(browser, path, width, scheme):
    """A page whose charts are drawn, with what it complained of and asked for."""
    page, said, asked = browsers.open_page(browser, path.as_uri(), width, scheme)
    page.wait_for_selector("html[data-drawn=true]", timeout=60_000)
    return page, said, asked


@pytest.mark.parametrize("opened", [(1280, "light"), (390, "dark")], indirect=True)
def test_every_chart_draws_and_nothing_is_said(opened, report):
    page, said, asked = opened
    charts = page.eval_on_selector_all(
        "[data-chart]",
        """places => places.map(p => [p.dataset.chart,
            p.querySelectorAll('.role-mark path[d], .role-mark line').length, p.getBoundingClientRect().width])""",
    )
    assert [name for name, *_ in charts] == ["errors", "signals", "learning", "grid-1", "grid-2"]
    for name, marks, width in charts:
        assert marks > 1, name
        assert width > 150, name
    assert said == []
    assert asked == [report.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert report.stat().st_size < 3e6


def test_the_check_sees_an_empty_chart(opened):
    page, *_ = opened
    page.evaluate("document.querySelector('[data-chart=errors]').replaceChildren()")
    assert page.locator("[data-chart=errors] .role-mark path[d]").count() == 0


def test_a_method_is_isolated_and_the_pick_changes(opened):
    page, said, _ = opened
    faint = "[data-chart=errors] .role-mark path[opacity='0.07']"
    assert page.locator(faint).count() == 0
    page.locator(".legend [data-method='3resnet(all)']").click()
    page.wait_for_timeout(300)
    assert page.locator(faint).count() > 0
    before = page.locator("[data-chart=errors] svg").inner_html()
    page.locator("[data-pick=test]").click()
    page.wait_for_timeout(300)
    assert page.locator("[data-chart=errors] svg").inner_html() != before
    assert page.locator("[data-pick=test]").get_attribute("aria-pressed") == "true"
    page.locator(".legend .all").first.click()
    page.wait_for_timeout(300)
    assert said == []


def test_the_table_sorts_and_shows_all(opened):
    page, *_ = opened
    rows = page.locator("#results tbody tr:visible")
    assert rows.count() == 3
    page.locator("#best-only").uncheck()
    assert rows.count() == 4
    page.locator("#results th button", has_text="picked on test").click()
    values = page.eval_on_selector_all(
        "#results tbody td:nth-child(3)", "cells => cells.map(c => Number(c.dataset.value))"
    )
    assert values == sorted(values)
    page.locator("#results th button", has_text="picked on test").click()
    again = page.eval_on_selector_all(
        "#results tbody td:nth-child(3)", "cells => cells.map(c => Number(c.dataset.value))"
    )
    assert again == sorted(values, reverse=True)


def test_a_grid_of_another_width_can_be_chosen(opened):
    page, said, _ = opened
    chart = page.locator("[data-chart=grid-1] svg")
    before = chart.inner_html()
    page.locator("select[data-for=grid-1]").select_option("width 4")
    page.wait_for_timeout(300)
    assert chart.inner_html() != before
    assert said == []


def test_the_page_of_claims(browser, tmp_path):
    from kernelgap.paper.claims.measurement import ClaimChunk, ClaimStore, measure
    from kernelgap.paper.claims.result import read_claims

    with ClaimStore.open(tmp_path) as store:
        store.describe({"experiment": "claims", "scale": "quick", "seed": 0})
        for name in ("complexity.compose", "cifar.kernels", "lemma.d2"):
            work = ClaimChunk(name, "quick", 0)
            store.save(work, measure(work))
    path = read_claims(tmp_path).report()
    page = browser.new_context(viewport={"width": 390, "height": 900}).new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn=true]", timeout=60_000)
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("[data-chart] .role-mark path[d]").count() > 0
    assert page.locator("article:visible").count() == 3
    page.click("[data-show=undecided]")
    assert page.locator("article:visible").all_inner_texts()[0].startswith("cifar.kernels")
    assert page.locator("article:visible").count() == 1


def test_the_page_of_a_study(browser, tmp_path, monkeypatch):
    from kernelgap.reports.common import page as common
    from support.studies import made_study

    monkeypatch.setattr(common, "_save", lambda folder, pictures, until: list(pictures))
    path = made_study("map", tmp_path).report()
    page, said, asked = open_page(browser, path, 390, "dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in ("map", "greatest-degree"):
        assert page.locator(f"[data-chart={name}] .role-mark path[d]").count() > 1, name
    page.locator("#results th button", has_text="SGD, median").click()
    page.locator("#results th button", has_text="SGD, median").click()
    assert page.locator("#results tbody tr").first.inner_text().split()[:2] == ["3", "3"]  # not learned: the most
    assert said == []
    assert asked == [path.as_uri()]


def test_the_page_of_an_audit(browser, tmp_path, monkeypatch):
    from kernelgap.audit.run import run_audit
    from kernelgap.reports.common import page as common
    from support.audits import invented, table

    monkeypatch.setattr(common, "_save", lambda folder, pictures, until: list(pictures))
    frame = table().rename(columns={"kind": "<b>kind</b>"})
    with invented():
        path = run_audit(frame, "<b>kind</b>", tmp_path).report()
    page, said, asked = open_page(browser, path, 390, "dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in ("errors", "accuracy", "contenders", "difference", "gap", "features"):
        assert page.locator(f"[data-chart={name}] .role-mark path[d]").count() > 1, name
    assert "<b>kind</b>" in page.locator("h1").inner_text()
    for chart in ("errors", "accuracy"):
        assert page.locator(f"[data-chart={chart}] .role-mark path[opacity='0.06']").count() == 0
    page.locator(".legend [data-method='trees']").click()
    page.wait_for_timeout(300)
    for chart in ("errors", "accuracy"):
        assert page.locator(f"[data-chart={chart}] .role-mark path[opacity='0.06']").count() > 0
    page.locator("#results th button", has_text="test error").click()
    values = page.eval_on_selector_all(
        "#results tbody td:nth-child(2)", "cells => cells.map(c => Number(c.dataset.value))"
    )
    assert values == sorted(values)
    assert said == []
    assert asked == [path.as_uri()]
