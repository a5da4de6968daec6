"""Sentences about records: numbers and lists in words, and facts that are checked first."""

import numpy as np


class FalseSentence(AssertionError):
    """A sentence that the records contradict; it names the sentence and the fact."""


def check_sentence(text: str, facts: dict[str, bool]) -> None:
    """Check that every fact of a sentence is true.

    Parameters
    ----------
    text : str, the sentence.
    facts : dict, whether each fact holds, by the name that an error gives it.

    Raises
    ------
    FalseSentence
        If a fact is false. It names the first such fact, its place, and the sentence.
    TypeError
        If a fact is neither true nor false, such as a column of a table.
    """
    for place, (name, holds) in enumerate(facts.items(), start=1):
        if not isinstance(holds, bool | np.bool_):
            raise TypeError(f"fact {name} must be True or False, got {type(holds).__name__}")
        if not holds:
            raise FalseSentence(
                f'"{text}": its fact {name} ({place} of {len(facts)}) is false of the records'
            )


def paragraph(*sentences: str) -> str:
    """Sentences one after another, without those that are empty."""
    return " ".join(filter(None, sentences))


def listed(names) -> str:
    """Names in a sentence, such as "A, B and C"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def counted(numbers) -> str:
    """Numbers by word, such as "3 current, 1 damaged", without those that are 0."""
    return ", ".join(f"{n} {word}" for word, n in numbers.items() if n)


def of_profile(command: str, profile: str) -> str:
    """A command as it is typed for a profile."""
    return command if profile == "paper" else f"{command} --profile {profile}"
