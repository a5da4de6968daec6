"""Texts of others, such as names and messages, where Markdown would take them for marks."""

import re

# Each is a mark with a backslash before it shown as text.
MARKS = re.compile(
    r"[`*_~\[\]<|$]"
    r"|&(?=#?\w+;)"  # begins an entity, such as &lt;
    r"|(?i:(?<=http):|(?<=https):)(?=//)|(?i:(?<=\bwww)\.)"  # a link, even without marks
)
# What is a mark only where a line begins: of a heading, a quote, a list, a rule, and in MyST a
# comment and a block.
FIRST_MARK = re.compile(r"[#>%:]|[-+=](?=[-+=\s]|$)|(?<=\d)[.)](?=\s|$)")
BACKSLASH = "&#92;"  # two backslashes and a bracket would begin a formula


def markdown_text(text: object) -> str:
    """A text for Markdown, in one line, that is shown as it is: no mark, link or HTML."""
    escaped = markdown_in_line(text)
    n_digits = len(escaped) - len(escaped.lstrip("0123456789"))  # of a list with numbers
    if FIRST_MARK.match(escaped, n_digits):
        return f"{escaped[:n_digits]}\\{escaped[n_digits:]}"
    return escaped


def markdown_in_line(text: object) -> str:
    """As :func:`markdown_text`, for a text that begins no line, such as a cell of a table."""
    in_one_line = " ".join(str(text).split())
    parts = [MARKS.sub(r"\\\g<0>", part) for part in in_one_line.split("\\")]
    return BACKSLASH.join(parts)
