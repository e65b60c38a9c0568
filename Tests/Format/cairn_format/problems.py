"""The problems of objects that the page tells apart."""


class FormatProblem(Exception):
    """A difference from the rules of the page."""


class Invalid(FormatProblem):
    """Bytes that no reader may accept: not canonical, not signed, out of bounds, or against a
    rule."""


class NewerCairn(Invalid):
    """An object of a newer Cairn: it has an unknown field below 1024, or asks for a version."""


class NotYet(FormatProblem):
    """An object that may become readable by itself, because the author's chain doesn't show the
    device yet."""


class Disputed(FormatProblem):
    """A log or a chain that doesn't contain the given anchor."""
