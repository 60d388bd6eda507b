"""What made a set or a network: the version, and the commit of a checkout."""

import os
import subprocess

import pytest

from zobra.engine.version import full_version
from zobra.train import provenance as module
from zobra.train.provenance import current_commit, provenance


def git(folder, *arguments: str) -> str:
    settings = ("user.name=A", "user.email=a@b", "commit.gpgsign=false", "tag.gpgsign=false")
    options = [word for setting in (*settings, "core.hooksPath=") for word in ("-c", setting)]
    command = ["git", *options, *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with one commit, from which this package seems to run."""
    monkeypatch.setattr(module, "ROOT", tmp_path)
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    try:
        git(tmp_path, "init")
    except OSError:
        pytest.skip("git is not there")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-m", "one")
    return tmp_path


def test_a_checkout_has_its_commit(checkout, monkeypatch):
    git(checkout, "tag", "-a", "v1", "-m", "a tag is no commit")
    commit = git(checkout, "rev-parse", "HEAD")[:12]
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    assert current_commit() == commit
    (checkout / "file").write_text("two")
    assert current_commit() == f"{commit}-dirty"
    assert provenance() == {"version": full_version(), "commit": f"{commit}-dirty"}


def test_a_package_inside_another_checkout_has_no_commit(checkout, monkeypatch):
    inside = checkout / "packages"
    inside.mkdir()
    monkeypatch.setattr(module, "ROOT", inside)
    assert current_commit() == ""
    assert provenance() == {"version": full_version()}


def test_without_git_there_is_no_commit(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert current_commit() == ""


def test_what_git_cannot_read_has_no_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / ".git").write_text("nothing")
    assert current_commit() == ""
