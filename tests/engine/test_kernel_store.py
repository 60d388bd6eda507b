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
from zobra.engine.kernels import kernel_file, user_store
from zobra.engine.kernels.kernel_file import ObjectCode, pack, unpack
from zobra.engine.kernels.processor import NATIVE, target_of
from zobra.engine.kernels.user_store import DAYS_KEPT, FOLDERS_KEPT, SECONDS_A_DAY, UserStore

CODE = {"module.name(int64) -> int64": ObjectCode("cfunc", ("clock_gettime",), b"\x7fELF and more")}


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A tree whose kernels are in its store."""
    made = Tree(tmp_path_factory.mktemp("tree"))
    found = made.start("compile all")
    assert found["compiled"] == 2
    assert not found["notices"]
    found = made.start()
    assert found["compiled"] == 0
    assert not found["notices"]
    assert "user's store" in found["description"]
    return made


def damage(path, how):
    content = path.read_bytes()
    path.unlink()
    if how == "emptied":
        path.write_bytes(b"")
    elif how == "one bit":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif how == "folder":
        (path / "full").mkdir(parents=True)
    elif how == "FIFO":
        os.mkfifo(path)
    else:
        path.symlink_to("nowhere")


@pytest.mark.parametrize("how", ["emptied", "one bit", "folder", "FIFO", "link to nowhere"])
def test_damaged_files_cost_a_recompile_and_one_notice(warm, tmp_path, how):
    tree = Tree(tmp_path)
    shutil.copytree(warm.store, tree.store, ignore=shutil.ignore_patterns("*.lock"))
    for path in tree.files():
        damage(path, how)
    found = tree.start()
    (notice,) = found["notices"]
    assert "damaged" in notice
    assert found["compiled"] == 2
    found = tree.start()
    assert found["compiled"] == 0
    assert not found["notices"]


def test_a_file_with_another_kernel_is_not_used(warm, tmp_path):
    tree = Tree(tmp_path)
    shutil.copytree(warm.store, tree.store)
    files = {path.name: path for path in tree.files()}
    (answer,) = [path for name, path in files.items() if "answer" in name]
    (product,) = [path for name, path in files.items() if "product" in name]
    shutil.copy(product, answer)
    files["all.kernel"].unlink()
    assert tree.start()["compiled"] == 1


def test_a_file_is_bound_to_digest_and_level():
    content = pack("digest", "native", CODE)
    assert unpack(content, "digest", "native") == CODE
    assert unpack(content, "other digest", "native") == {}
    assert unpack(content, "digest", "x86-64-v2") == {}
    with pytest.raises(ValueError, match="not what was written"):
        unpack(content[:-1], "digest", "native")


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
    (notice,) = found["notices"]
    assert "cannot be kept" in notice
    assert found["compiled"] == 2


def test_a_full_disk_costs_one_notice_and_leaves_no_fragments(tmp_path):
    store = UserStore(target_of(NATIVE), tmp_path)
    before = len(user_store.notices)
    with full_disk():
        with pytest.raises(OSError):
            store.check_writable()
        for name in ("one", "two"):
            store.write(CODE, name)
    assert store.folder is None
    assert store.read("one") == {}
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(user_store.notices) == before + 1
    assert "cannot be kept" in user_store.notices.pop()


@pytest.mark.skipif(os.name != "posix", reason="Windows has other rights")
@pytest.mark.parametrize("what", ["folder", "file"])
@pytest.mark.parametrize("rights", [0o002, 0o020, "another owner"])
def test_files_that_others_can_write_are_not_used(tmp_path, what, rights):
    if rights == "another owner" and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    store = UserStore(target_of(NATIVE), tmp_path)
    store.write(CODE)
    (file,) = tmp_path.rglob("*.kernel")
    path = file if what == "file" else file.parent
    assert UserStore(target_of(NATIVE), tmp_path).read() == CODE
    if rights == "another owner":
        os.chown(path, 65534, 65534)
        complaint = "belongs to another user"
    else:
        path.chmod(path.stat().st_mode | rights)
        complaint = "other users can write to"
    refusing = UserStore(target_of(NATIVE), tmp_path)
    assert refusing.read() == {}
    notice = user_store.notices.pop()
    assert complaint in notice
    assert str(path) in notice
    refusing.write(CODE)
    assert UserStore(target_of(NATIVE), tmp_path).read() == (CODE if what == "file" else {})
    user_store.notices.clear()


@pytest.mark.parametrize("days", [-1000, 0, DAYS_KEPT - 1, DAYS_KEPT + 1])
def test_only_its_own_old_folders_are_removed(tmp_path, days):
    made = time.time() - days * SECONDS_A_DAY
    names = (".org.chromium.ABC123", "somebody's documents", "0123456789ABCDEF0123")
    foreign = [tmp_path / name for name in names]
    own = [tmp_path / f"{number:020x}" for number in range(FOLDERS_KEPT + 3)]
    for age, folder in enumerate(foreign + own):
        folder.mkdir()
        os.utime(folder, (made + age, made + age))
    store = UserStore(target_of(NATIVE), tmp_path)
    store.write(CODE)
    assert store.read() == CODE
    removed = [not folder.is_dir() for folder in own]
    assert removed == [days > DAYS_KEPT] * 4 + [False] * (FOLDERS_KEPT - 1)
    assert all(folder.is_dir() for folder in foreign)


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
    (folder,) = tree.store.iterdir()
    (folder / f"half{kernel_file.TEMPORARY}").write_bytes(b"half a file")
    assert not tree.start("compile all")["notices"]
    assert not list(folder.glob(f"*{kernel_file.TEMPORARY}"))
    assert tree.start()["compiled"] == 0
