"""Before any test: all kernels are compiled, since processes that tests start would else begin with the simple player."""

import pytest
from hypothesis import settings

from zobra.uci.compilation import compile_all

settings.register_profile("zobra", deadline=None)  # a busy machine is no fault
settings.load_profile("zobra")


@pytest.fixture(scope="session", autouse=True)
def kernels():
    compile_all()
