"""The part of the build that pyproject.toml cannot express.

Kernels are compiled into the wheel, which is then for one platform.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
MISUSED = 2  # the exit status of the build step for an unknown level


def compile_kernels(folder: str | Path) -> None:
    """Compile the kernels of the package `zobra` in a folder.

    A failure is only a warning: the engine can compile them when it starts.
    """
    done = subprocess.run(
        [sys.executable, "-B", "-m", "zobra.engine.kernels.build"], check=False, cwd=folder
    )
    if done.returncode == MISUSED:
        sys.exit(MISUSED)
    if done.returncode:
        warnings.warn("no kernels are built; the first start will compile them", stacklevel=2)


class BuildWithKernels(build_py):
    """Copy the sources, then compile.

    An editable installation has its kernels in the source tree.
    """

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Return the modules of a package, except this one, which is in the folder of `zobra`."""
        found = super().find_package_modules(package, package_dir)
        return [module for module in found if module[1] != "setup"]

    def run(self) -> None:
        """Build the package."""
        if not self.editable_mode:  # modules that an earlier build put there may no longer exist
            shutil.rmtree(Path(self.build_lib) / "zobra", ignore_errors=True)
        super().run()
        if not self.editable_mode:
            compile_kernels(Path(self.build_lib).resolve())
            return
        with tempfile.TemporaryDirectory() as folder:
            try:
                os.symlink(HERE, Path(folder) / "zobra", target_is_directory=True)
            except OSError as error:  # Windows may not allow it
                warnings.warn(
                    f"no kernels: {error}; the first start will compile them", stacklevel=2
                )
            else:
                compile_kernels(folder)


class PlatformDistribution(Distribution):
    """A distribution for one platform, unless no kernels are compiled."""

    def has_ext_modules(self) -> bool:
        """Return whether the distribution holds object code."""
        return os.environ.get("ZOBRA_KERNELS") != ""


class WheelForPlatform(bdist_wheel):
    """A wheel whose tag depends on the platform, but not on the version of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the wheel's tags of Python, ABI and platform."""
        python, abi, platform = super().get_tag()
        return (python, abi, platform) if self.root_is_pure else ("py3", "none", platform)


setup(
    distclass=PlatformDistribution,
    cmdclass={"build_py": BuildWithKernels, "bdist_wheel": WheelForPlatform},
)
