"""The UCI conversation: a thin text layer in front of `search/engine.py`.

Reading order: dispatcher with commands (the parser) and console; info_printer with format;
option_text; board_text.
"""
