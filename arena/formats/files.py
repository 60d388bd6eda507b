"""Reading and writing of whole files.

Every error names its file, and JSON values are checked against a type.
"""

import bz2
import codecs
import errno
import gzip
import io
import json
import math
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from zobra.arena.formats.text import printable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
STANDARD_INPUT = "-"
COMPRESSIONS = (".gz", ".bz2", ".zip", ".zst")  # extensions of files that read_text unpacks
_KINDS = {
    dict: "a table",
    list: "a list",
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
}


def read_text(source: str | Path) -> str:
    """Return the text of a file, or of standard input for "-", with "\\n" as line end.

    The file may be compressed (.gz, .bz2, .zip or .zst, recognised by its first bytes). Raise
    OSError, or ValueError for damaged data.
    """
    if str(source) == STANDARD_INPUT:
        content = sys.stdin.buffer.read()
    else:
        content = Path(source).read_bytes()
    try:
        content = _decompressed(content)
    except (EOFError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{source}: {error}") from error
    return decoded(content)


def read_texts(sources: Sequence[str | Path]) -> list[tuple[str, str]]:
    """Return the name and text of each of the `named_files`. Raise OSError or ValueError."""
    texts = []
    for source in named_files(sources):
        name = "standard input" if str(source) == STANDARD_INPUT else printable(str(source))
        texts.append((name, read_text(source)))
    return texts


def named_files(sources: Sequence[str | Path]) -> Sequence[str | Path]:
    """Return the files that a user named; in place of a folder, its PGN files.

    Analyses are left out, unless there is nothing else. Raise ValueError for a folder without any.
    """
    found: list[str | Path] = []
    for source in sources:
        if str(source) == STANDARD_INPUT or not Path(source).is_dir():
            found.append(source)
            continue
        games = sorted(path for path in Path(source).iterdir() if path.suffix.lower() == ".pgn")
        if all(map(_is_analysis, games)):
            raise ValueError(f"{source}: no PGN file in this folder")
        found += games
    return without_analyses(found)


def without_analyses(sources: Sequence[str | Path]) -> Sequence[str | Path]:
    """Return the files that `zobra analyse` has not written, or all if there are no others."""
    return [source for source in sources if not _is_analysis(source)] or sources


def _is_analysis(source: str | Path) -> bool:
    return str(source).endswith(".analysed.pgn")


def decoded(content: bytes) -> str:
    """Decode UTF-8, and a line that is not UTF-8 as ISO 8859-1, the encoding of the PGN standard.

    UTF-16, which PowerShell writes with >, is known by its byte-order mark. Line ends become
    "\\n". Byte-order marks are removed, also those inside concatenated files, and so are the
    end-of-file characters of DOS.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16", errors="replace").encode()
    content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip(b"\0\x1a")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\n".join(map(_decoded_line, content.split(b"\n")))
    return text.replace("\ufeff", "")


def _decoded_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _decompressed(content: bytes) -> bytes:
    """Return the content of a file that may be compressed, as its first bytes show."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"BZh"):
        return bz2.decompress(content)
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"\n".join(map(archive.read, archive.namelist()))
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        return _decompressed_zst(content)
    return content


def _decompressed_zst(content: bytes) -> bytes:
    import zstandard

    parts = []
    while content:  # a file may hold several frames
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(content))
        except zstandard.ZstdError as error:
            raise RuntimeError(str(error)) from error
        if not frame.eof:
            raise EOFError("the compressed data is incomplete")
        content = frame.unused_data
    return b"".join(parts)


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file. Raise ValueError or OSError."""
    try:
        return tomllib.loads(decoded(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error


def read_json(path: Path, what: str, convert: Callable[[Any], T]) -> T:
    """Return the content of a JSON file, converted by `convert`.

    Raise ValueError with the message "PATH: not WHAT: why", or OSError.
    """
    return converted(path.read_bytes(), f"{path}: not {what}", convert)


def converted(text: bytes | str, problem: str, convert: Callable[[Any], T]) -> T:
    """Return the content of a JSON text, converted by `convert`.

    Raise ValueError, whose message begins with `problem`, for any fault of the text.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not allowed in JSON")

    try:
        return convert(json.loads(text, parse_constant=refuse))
    except KeyError as error:
        raise ValueError(f"{problem}: no {printable(str(error))}") from error
    except (
        AttributeError,
        TypeError,
        ValueError,
        AssertionError,
        OverflowError,
        RecursionError,
    ) as error:
        raise ValueError(f"{problem}: {printable(str(error))}") from error


def typed(kind: Any, value: Any, name: str = "the content") -> Any:
    """Convert plain JSON values to a type: a dataclass, list, tuple, dict, union or plain type.

    Keys that a dataclass lacks are ignored. Raise ValueError or TypeError for a value of another
    type.
    """
    origin = get_origin(kind)
    parts = get_args(kind)
    if kind is Any or (value is None and NoneType in parts):
        return value
    if origin in (Union, UnionType):
        kinds = [part for part in parts if part is not NoneType]
        same = [part for part in kinds if type(value) is part]
        return typed((same or kinds)[0], value, name)

    _check_type(kind, value, name)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        known = [field.name for field in fields(kind) if field.name in value]
        return kind(**{key: typed(hints[key], value[key], key) for key in known})  # type: ignore[operator]
    if origin is dict:
        return {key: typed(parts[1], entry, key) for key, entry in value.items()}
    if origin is list or (origin is tuple and parts[-1] is ...):
        return origin(typed(parts[0], entry, name) for entry in value)
    if origin is tuple:
        return tuple(typed(part, entry, name) for part, entry in zip(parts, value, strict=True))
    return value


def _check_type(kind: Any, value: Any, name: str) -> None:
    """Raise ValueError if a JSON value is not in the plain form of a type."""
    plain: Any = get_origin(kind) or kind
    if is_dataclass(kind):
        plain = dict
    elif plain is tuple:
        plain = list
    is_number = plain is float and type(value) is int  # an integer is a number, too
    if type(value) is not plain and not is_number:
        raise ValueError(f"{name} must be {_KINDS[plain]}, not {printable(repr(value), 40)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} is not finite")


def write_safely(path: Path, content: bytes | str) -> None:
    """Replace a file atomically: at any moment either the old or the new file exists.

    A symbolic link is replaced, not followed. Text is encoded as UTF-8; bytes of a file name that
    are not UTF-8 are escaped.
    """
    if isinstance(content, str):
        content = content.encode(errors="backslashreplace")
    temporary = _temporary(path)
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def _temporary(path: Path) -> Path:
    """Return a random name beside a file, which no other file has."""
    return path.with_name(f"{path.name}.{os.urandom(8).hex()}.new")


def check_writable(path: Path) -> None:
    """Raise OSError if write_safely would fail; an existing file is left unchanged."""
    if not path.parent.is_dir():
        raise OSError(errno.ENOENT, "no such folder", str(path.parent))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a file", str(path))
    temporary = _temporary(path)
    temporary.open("xb").close()
    temporary.unlink()
