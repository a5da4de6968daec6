"""The study of the paper: what is run, how it is recorded and judged, and what is shown.

Importing it pins the arithmetic, which counts only before NumPy is imported.
"""

from mimlstudy.engine.arithmetic import pin

pin()
