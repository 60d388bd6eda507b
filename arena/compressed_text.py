"""Text files that may be compressed: gzip, bzip2, zip or Zstandard, recognised by their first bytes."""

import bz2
import gzip
import io
import sys
import zipfile
import zlib
from pathlib import Path

STANDARD_INPUT = "-"


def read_text(source: str | Path) -> str:
    """The text of a file, or of standard input for "-"; what is not UTF-8 is replaced.

    Raises OSError, or ValueError for damaged data and for .zst where the package zstandard is missing.
    """
    content = sys.stdin.buffer.read() if str(source) == STANDARD_INPUT else Path(source).read_bytes()
    try:
        return _decompressed(content).decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    except (EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{source}: {error}") from error


def _decompressed(content: bytes) -> bytes:
    """The bytes behind any of the compressions. Raises EOFError, OSError, RuntimeError or zlib.error."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"BZh"):
        return bz2.decompress(content)
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"\n".join(map(archive.read, archive.namelist()))
    if not content.startswith(b"\x28\xb5\x2f\xfd"):
        return content
    try:
        import zstandard
    except ImportError:
        raise RuntimeError("reading .zst needs the package zstandard: pip install zstandard") from None
    parts = []
    while content:  # a file may hold several frames
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(content))
        except zstandard.ZstdError as error:
            raise RuntimeError(str(error)) from error
        if not frame.eof:
            raise EOFError("the file ends in the middle of its data")
        content = frame.unused_data
    return b"".join(parts)
