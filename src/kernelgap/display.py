"""Objects that show themselves: in a line at a prompt, as a small table in a notebook."""

import html
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

SHORT = 3  # facts in a line
LONGEST = 90  # characters of a text in a line
STYLE = "max-width:44rem;padding:.5rem .8rem;border:1px solid rgba(128,128,128,.5);border-radius:6px"
CELL = "text-align:left;padding:.1rem .9rem .1rem 0"


@dataclass(frozen=True)
class Card:
    """What is shown of an object.

    Attributes
    ----------
    kind, name
        What it is, and which one.
    facts
        Numbers and texts by their names, the most important ones first.
    sentence
        What follows from them.
    """

    kind: str
    name: str
    facts: Mapping[str, object] = field(default_factory=dict)
    sentence: str = ""

    @property
    def line(self) -> str:
        shown = [f"{name} {_cut(format_fact(value))}" for name, value in list(self.facts.items())[:SHORT]]
        name = f" {_cut(self.name)}" if self.name else ""
        return f"<{self.kind}{name}{': ' if shown else ''}{', '.join(shown)}>"

    @property
    def table(self) -> str:
        rows = "".join(
            f'<tr><th scope="row" style="{CELL};font-weight:normal;opacity:.8">{html.escape(name)}</th>'
            f'<td style="{CELL}">{html.escape(format_fact(value))}</td></tr>'
            for name, value in self.facts.items()
        )
        sentence = f"<p>{html.escape(self.sentence)}</p>" if self.sentence else ""
        title = f"<strong>{html.escape(self.kind)}</strong> <code>{html.escape(self.name)}</code>"
        return f'<div style="{STYLE}">{title}<table>{rows}</table>{sentence}</div>'


class Displayed:
    """An object with a card: ``_card`` says what is shown. A dataclass needs ``repr=False`` beside it."""

    @abstractmethod
    def _card(self) -> Card: ...

    def __repr__(self) -> str:
        return self._card().line

    def _repr_html_(self) -> str:
        return self._card().table


def format_fact(value: object) -> str:
    """A number with four digits, several as a range, a text as it is.

    Examples
    --------
    >>> format_fact(5766215), format_fact(0.0123456), format_fact((0.5, 0.25, 2.0)), format_fact(None)
    ('5,766,215', '0.01235', '3 from 0.25 to 2', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, bool) or not isinstance(value, Real):
        several = getattr(value, "ndim", None) != 0 and hasattr(value, "__len__") and not isinstance(value, str)
        return _range(value) if several else str(value)
    return f"{int(value):,}" if isinstance(value, Integral) else f"{float(value) + 0.0:.4g}"  # no -0


def _range(values: Any) -> str:
    numbers = list(getattr(values, "ravel", lambda: values)())
    if not numbers:
        return "none"
    if not all(isinstance(number, Real) for number in numbers):
        return ", ".join(str(number) for number in numbers)
    low, high = format_fact(min(numbers)), format_fact(max(numbers))
    return low if len(numbers) == 1 else f"{len(numbers):,} from {low} to {high}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
