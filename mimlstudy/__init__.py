"""The study of the paper: what is run, how it is recorded and judged, and what is shown.

Call :func:`mimlstudy.engine.arithmetic.pin` before NumPy is imported: trials then have the same
digits on every machine.
"""
