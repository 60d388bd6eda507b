"""The version, in a place that is read in no time: a look into the installed package's facts would
double that of a `uci`.
"""

VERSION = "1.0.0.dev0"
