"""The study: what is run, how it is recorded, whether it still holds, and what it says."""
