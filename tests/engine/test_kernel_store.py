"""The user's store of kernels: whatever lies in it, the right code runs, and what others could have
written does not.
"""

import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.kernel_tree import Tree, full_disk
from zobra.engine.kernels import kernel_set
from zobra.engine.kernels.kernel_set import ObjectCode
from zobra.engine.kernels.user_store import SECONDS_KEPT, UserStore

CODE = {"module.name": ObjectCode("cfunc", ("clock_gettime",), b"\x7fELF and more")}


@pytest.fixture
def notices(monkeypatch):
    """The notices of one test."""
    monkeypatch.setattr(kernel_set, "notices", [])
    return kernel_set.notices


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A tree whose kernels are in its store."""
    made = Tree(tmp_path_factory.mktemp("tree"))
    found = made.start("compile all")
    assert found["compiled"] == 2
    assert not found["notices"]
    found = made.start()
    assert found["compiled"] == 0 and found["notices"] == []
    assert "user's store" in found["description"]
    return made


@pytest.mark.parametrize("how", ["emptied", "halved", "random", "one bit"])
def test_damaged_files_cost_a_recompile_and_one_notice(warm, tmp_path, how):
    tree = Tree(tmp_path)
    shutil.copytree(warm.store, tree.store)
    for path in tree.files():
        content = path.read_bytes()
        half = len(content) // 2
        damaged = {
            "emptied": b"",
            "halved": content[:half],
            "random": os.urandom(500),
            "one bit": content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :],
        }
        path.write_bytes(damaged[how])
    found = tree.start("compile all")
    assert found["compiled"] == 2
    assert len(found["notices"]) == 1 and "damaged" in found["notices"][0]
    found = tree.start()
    assert found["compiled"] == 0
    assert not found["notices"]


def test_an_interrupted_compilation_goes_on(tmp_path):
    tree = Tree(tmp_path)
    tree.start("compile all")
    for path in tree.files():
        if "answer" not in path.name:
            path.unlink()
    assert tree.start("compile all")["compiled"] == 1


def test_a_changed_callee_changes_its_caller(tmp_path):
    """A kernel of one file that one of another calls: Numba's own stamp would not notice."""
    tree = Tree(tmp_path)
    tree.start()
    callee = tree.engine / "callee.py"
    text = callee.read_text()
    callee.write_text(text.replace("int64(10)", "int64(17)"))
    tree.right = [17, 51]
    assert tree.start()["compiled"] == 2
    callee.write_text(text)
    tree.right = [10, 30]
    assert tree.start()["compiled"] == 0


def test_kernels_are_compiled_for_the_process_if_they_cannot_be_kept(tmp_path):
    tree = Tree(tmp_path)
    tree.store.write_text("a file where the folder should be")
    found = tree.start("compile all")
    assert found["compiled"] == 2
    assert len(found["notices"]) == 1 and "cannot be kept" in found["notices"][0]


def test_a_full_disk_costs_one_notice_and_leaves_no_fragments(tmp_path, notices):
    store = UserStore(tmp_path)
    with full_disk():
        with pytest.raises(OSError):
            store.check_writable()
        for name in ("one", "two"):
            store.write(name, CODE)
    assert store.folder is None and store.read("one") == {}
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert len(notices) == 1 and "cannot be kept" in notices[0]


@pytest.mark.skipif(os.name != "posix", reason="Windows has other rights")
@pytest.mark.parametrize("place", ["folder", "file"])
@pytest.mark.parametrize("rights", [0o002, 0o020, "another owner"])
def test_what_others_could_have_written_is_not_run(tmp_path, notices, place, rights):
    if rights == "another owner" and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    store = UserStore(tmp_path)
    store.write("name", CODE)
    assert UserStore(tmp_path).read("name") == CODE

    path = store.folder if place == "folder" else store.folder / "name.kernels"
    if rights == "another owner":
        os.chown(path, 65534, 65534)
    else:
        path.chmod(path.stat().st_mode | rights)
    reading = UserStore(tmp_path)
    assert reading.read("name") == {}
    assert (reading.folder is None) == (place == "folder")
    reason = "belongs to another user" if rights == "another owner" else "other users can write to"
    assert len(notices) == 1 and reason in notices[0] and str(path) in notices[0]

    writing = UserStore(tmp_path)
    writing.write("name", CODE)
    assert (writing.folder is None) == (place == "folder")
    if place == "file":  # it has been replaced
        assert UserStore(tmp_path).read("name") == CODE
    assert len(notices) == 1


def test_nobody_else_can_change_what_is_kept(tmp_path):
    old = os.umask(0)
    try:
        store = UserStore(tmp_path)
        store.write("name", CODE)
    finally:
        os.umask(old)
    for path in (store.folder, store.folder / "name.kernels"):
        assert path.stat().st_mode & 0o022 == 0


def test_what_is_old_is_removed_once_a_new_set_is_kept(tmp_path):
    tree = Tree(tmp_path)
    tree.start("compile all")
    kept = len(tree.files())
    folder = tree.files()[0].parent
    now = time.time()
    endings = (".kernels", ".kernels.lock", ".kernels.123", ".txt")
    ages = {"old": SECONDS_KEPT + 60, "new": SECONDS_KEPT - 3600, "of tomorrow": -86_400}
    for name, age in ages.items():
        for path in (folder / f"{name}{ending}" for ending in endings):
            path.touch()
            os.utime(path, (now - age, now - age))

    assert tree.start("compile all")["compiled"] == 0
    assert len(tree.files()) == kept + 3
    (tree.engine / "callee.py").write_text((tree.engine / "callee.py").read_text() + "# edited\n")
    assert tree.start("compile all")["compiled"] == 2
    assert len(tree.files()) == 2 * kept + 2
    assert [path.name for path in folder.glob("old*")] == ["old.txt"]
    assert len(list(folder.glob("new*"))) == len(endings)


def test_several_processes_compile_once(tmp_path):
    tree = Tree(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        starts = list(pool.map(lambda _: tree.start("compile all"), range(4)))
    assert sum(found["compiled"] for found in starts) == 2
    assert not any(found["notices"] for found in starts)


def test_a_killed_compilation_leaves_nothing_in_the_way(tmp_path):
    tree = Tree(tmp_path)
    process = tree.begin("compile all")
    deadline = time.monotonic() + 60
    while not list(tree.store.rglob("*.lock")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert tree.start("compile all")["notices"] == [] and tree.start()["compiled"] == 0
