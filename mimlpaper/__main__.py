"""``python -m mimlpaper`` is the command ``mimlpaper``."""

import sys

from mimlpaper.cli import main

sys.exit(main())
