"""``python -m mimlpaper`` is the command ``mimlpaper``."""

from mimlpaper.cli import main

raise SystemExit(main())
