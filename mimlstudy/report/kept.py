"""Answers that are kept until code, records, data, printed numbers or the machine change.

A command whose answer is kept imports nothing that computes, so that it answers at once.
"""

import os
import platform
from collections.abc import Callable

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.arithmetic import pin, variables
from mimlstudy.engine.sources import all_sources


def key_of(profile: str, *, pictures: bool = False) -> str:
    """What changes with the code, the machine, or any file that answers are made of.

    ``pictures``: executed notebooks of the profile and published figures count too.
    """
    sources = [
        *folders.results_of_all_profiles(),
        folders.printed_data(),
        folders.study_data(),
        paths.packaged_data(),
    ]
    if pictures:
        executed = folders.build(profile)
        sources += [folders.figures(), executed, executed / "figures"]
    files = []
    for folder in dict.fromkeys(sources):
        # Names that begin with a dot are files that another process is writing.
        for path in sorted(folder.glob("[!.]*.*")):
            # Times and size, because all records take seconds to read. A program can set back the
            # time of the last change of a content, but not that of its file.
            state = path.stat()
            files.append((str(path), state.st_size, state.st_mtime_ns, state.st_ctime_ns))
    # Where the arithmetic is not pinned, records of this machine's own count: what chooses it.
    chosen_by = [os.environ.get(name) for name in variables()]
    here = platform.processor(), platform.python_version(), platform.node()
    machine = pin(), chosen_by, here
    return repr([all_sources(), machine, files])


def kept(name: str, profile: str, make: Callable, *, pictures: bool = False):
    """What ``make()`` gave the last time, or gives now; ready for JSON.

    Parameters
    ----------
    name : str, of the answer.
    profile : str, whose records it is made of.
    make : function without arguments, called if nothing is kept.
    pictures : bool, default False
        Whether it also depends on executed notebooks and published figures.
    """
    file, key = f"{name}_{profile}", key_of(profile, pictures=pictures)
    answer = folders.kept(file, key)
    if answer is None:
        # Notebooks that run at once ask for the same: the first makes it, the others wait.
        with folders.alone_with(file):
            answer = folders.kept(file, key)
            if answer is None:
                answer = folders.keep(file, key, make())
    return answer
