"""Words of the command line that are understood before its libraries are imported."""

NETWORK = "--network"  # takes a file: the initial value of EvalFile
ONE_SHOT = ("go", "position", "d", "eval", "uci", "isready", "compiler")  # commands of UCI
