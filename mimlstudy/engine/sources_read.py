"""Read all sources when this is imported: forks know the code that they have, not later edits."""

from mimlstudy.engine.sources import sources

sources()
