"""The command `zobra ladder`."""


def ladder() -> None:
    """x"""
