"""All attacks, in the order in which they are played."""

from . import commits, devices, hosts, logs, machines, numbers, people, publics  # noqa: F401
