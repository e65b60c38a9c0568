"""The man page's own examples, read from cairn-container(5)."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "man" / "cairn-container.5"


def blocks() -> list[tuple[str, list[str]]]:
    """Returns the literal blocks of EXAMPLES, each with the text before it."""
    text = PAGE.read_text(encoding="utf-8").partition(".Sh EXAMPLES")[2]
    text = text.partition(".Sh SEE ALSO")[0]
    found, before = [], ""
    for part in re.split(r"(\.Bd -literal[^\n]*\n.*?\n\.Ed\n)", text, flags=re.S):
        if part.startswith(".Bd"):
            found.append((before, part.splitlines()[1:-1]))
            before = ""
        else:
            before += part.replace("\n", " ")
    return found


def example(words: str) -> list[str] | None:
    """Returns the lines of the block behind the text with these words."""
    for before, lines in blocks():
        if words in before:
            return lines
    return None
