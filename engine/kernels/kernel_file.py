"""The file that holds compiled kernels, one or many: how it is written, read, and judged.

A file is a checksum of the rest, the digest and the level, a table of kernels in JSON, and the
object code. The table binds the code to each kernel's name and signature: a copied, old or damaged
file is never linked. `read_own` checks who wrote it; behind the checksum nothing else is checked.
"""

import contextlib
import hashlib
import json
import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

FOLDER_MODE = 0o755
FILE_MODE = 0o644
OTHERS_CAN_WRITE = stat.S_IWGRP | stat.S_IWOTH
TEMPORARY = ".tmp"


class ObjectCode(NamedTuple):
    """A compiled entry: the name of its C function, the symbols it wants from outside, and the
    object file.
    """

    symbol: str
    externals: tuple[str, ...]
    data: bytes


Kernels = dict[str, ObjectCode]  # by name and signature, as `Entry.key` writes them


class NotOwn(OSError):
    """The file or folder belongs to another user, or others can write to it."""


def pack(digest: str, level: str, kernels: Kernels) -> bytes:
    """Return the content of a file with these kernels."""
    table = [[key, code.symbol, code.externals, len(code.data)] for key, code in kernels.items()]
    data = b"".join(code.data for code in kernels.values())
    content = b"\n".join((f"{digest} {level}".encode(), json.dumps(table).encode(), data))
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def unpack(content: bytes, digest: str, level: str) -> Kernels:
    """Return the kernels in a file's content; none if they were made for another digest or level.

    ValueError if it is damaged.
    """
    checksum, _, rest = content.partition(b"\n")
    if checksum != hashlib.sha256(rest).hexdigest().encode():
        raise ValueError("the content is not what was written")
    made_for, _, rest = rest.partition(b"\n")
    if made_for != f"{digest} {level}".encode():
        return {}
    table, _, data = rest.partition(b"\n")
    kernels: Kernels = {}
    for key, symbol, externals, length in json.loads(table):
        kernels[key] = ObjectCode(symbol, tuple(externals), data[:length])
        data = data[length:]
    return kernels


def check_own(status: os.stat_result, path: Path) -> None:
    """Raise NotOwn unless this user or root owns it and nobody else can write to it.

    Nothing is checked on Windows.
    """
    if os.name != "posix":
        return
    if status.st_uid not in (0, os.geteuid()):
        raise NotOwn(f"{path} belongs to another user")
    if status.st_mode & OTHERS_CAN_WRITE:
        raise NotOwn(f"other users can write to {path}")


def read_own(path: Path) -> bytes:
    """Return the content of a regular file that only this user or root can have written.

    Raises NotOwn for another owner or open rights, ValueError for what is no regular file, and
    OSError.
    """
    flags = (
        os.O_RDONLY
        | getattr(os, "O_BINARY", 0)
        | getattr(os, "O_NONBLOCK", 0)
        | getattr(os, "O_NOFOLLOW", 0)
    )
    with open(os.open(path, flags), "rb") as file:
        check_own(status := os.fstat(file.fileno()), path)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no regular file")
        return file.read()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that only this user can change, as a whole or, after an OSError, not at all."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        remove(temporary)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(temporary, flags, FILE_MODE), "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        raise


def remove(path: Path) -> None:
    """Remove what lies there, even a folder; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
