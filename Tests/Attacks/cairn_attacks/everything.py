"""All attacks, in the order in which they are played."""

from . import commits, logs  # noqa: F401
