"""``python -m mimlstudy`` is the command ``mimlpaper``."""

from mimlstudy.report.command import main

raise SystemExit(main())
