"""Where tests find real endgame tablebases."""

import pytest

from tests.support.paths import SHARED

SYZYGY = SHARED / "data" / "syzygy"
needs_tables = pytest.mark.skipif(
    not SYZYGY.is_dir(), reason="no endgame tablebases at ../shared/data/syzygy"
)
