"""What all tests share: in CI, properties are tried on the same examples every time, elsewhere on new ones."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
