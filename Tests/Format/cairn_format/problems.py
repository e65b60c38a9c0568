"""What can be wrong with an object, as the page tells it apart."""


class FormatProblem(Exception):
    """Something that isn't as the page says."""


class Invalid(FormatProblem):
    """Bytes that no reader may take: not canonical, not signed, out of bounds, against a rule."""


class NewerCairn(Invalid):
    """An object of a newer Cairn: it has an unknown field below 1024, or asks for a version."""


class NotYet(FormatProblem):
    """What may become readable by itself: a device that the author's chain doesn't show yet."""


class Disputed(FormatProblem):
    """A log or a chain that doesn't pass through the anchor that somebody gave."""
