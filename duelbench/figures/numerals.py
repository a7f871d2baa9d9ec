"""Numbers as people read them in tables."""


def short(number: float) -> str:
    """A number with about four digits and no exponent.

    Examples
    --------
    >>> short(12345.67), short(123.456), short(1.23456), short(0)
    ('12346', '123.5', '1.235', '0')
    """
    if number == 0:
        return "0"
    magnitude = abs(number)
    return f"{number:.{0 if magnitude >= 1000 else 1 if magnitude >= 100 else 2 if magnitude >= 10 else 3}f}"


def short_or_dash(number: float | None) -> str:
    """The same; a dash where there is none.

    Examples
    --------
    >>> short_or_dash(None)
    '-'
    """
    return "-" if number is None else short(number)
