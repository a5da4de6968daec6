"""Texts of others, such as names and messages, where Markdown would take them for marks."""

import re

# A & is a mark where it begins an entity, such as &lt;.
MARKS = re.compile(r"[\\`*_~\[\]<|$]|&(?=#?\w+;)")


def markdown_text(text: object) -> str:
    """A text for Markdown, in one line, that is shown as it is: no mark, link or HTML."""
    in_one_line = " ".join(str(text).split())
    return MARKS.sub(r"\\\g<0>", in_one_line)
