"""The version, where it can be read at once.

Reading the metadata of the installed package would double the time of a `uci`.
"""

VERSION = "1.0.0.dev0"
