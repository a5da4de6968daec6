"""Numbers with their nouns."""


def number_and_noun(n: int, noun: str) -> str:
    """A number with its noun, such as "1 trial" or "3 trials"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
