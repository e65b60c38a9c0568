"""All attacks, in the order in which they are played."""

from . import commits, devices, logs  # noqa: F401
