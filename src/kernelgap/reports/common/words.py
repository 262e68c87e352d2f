"""Words that the terminal and the page share."""

import re


def rounded(text: str) -> str:
    """A sentence with the long numbers of a fitted kernel cut to four digits, for reading."""
    return re.sub(r"\d+\.\d{6,}", lambda found: f"{float(found[0]):.4g}", text)
