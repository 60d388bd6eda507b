"""Where tests find real endgame tables."""

import pytest

from tests.support.paths import SHARED

SYZYGY = SHARED / "data" / "syzygy"
needs_tables = pytest.mark.skipif(
    not SYZYGY.is_dir(), reason="no endgame tables at ../shared/data/syzygy"
)
