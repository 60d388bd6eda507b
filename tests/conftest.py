"""Before any test: all kernels are compiled, so that no process that a test starts has to compile them."""

import pytest
from hypothesis import settings

from zobra.uci.startup import compile_all

settings.register_profile("zobra", deadline=None)  # a busy machine is no fault
settings.load_profile("zobra")


@pytest.fixture(scope="session", autouse=True)
def kernels():
    compile_all()
