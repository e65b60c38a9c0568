"""All attacks, in the order in which they are played."""

from . import commits, devices, hosts, logs, numbers, people  # noqa: F401
