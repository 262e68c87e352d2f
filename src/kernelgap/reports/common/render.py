"""Pages from templates: one file each that needs no network, the chart library inside."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import jinja2
import vl_convert

from kernelgap.reports.common.charts import VEGA_LITE


def render(
    template: str,
    context: Mapping[str, Any],
    charts: Mapping[str, Any],
    filters: Mapping[str, Callable[..., Any]] | None = None,
) -> str:
    """A page with its charts, which the template places by their names."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("kernelgap.reports", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters or {})
    specs = {name: json.loads(chart.to_json()) for name, chart in charts.items()}
    script = vl_convert.javascript_bundle(vl_version=VEGA_LITE)  # type: ignore[call-arg]  # its stub asks for a snippet
    return environment.get_template(template).render(context, specs=specs, vega=_in_script(script))


def _in_script(text: str) -> str:
    """A program that may stand between script tags."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
