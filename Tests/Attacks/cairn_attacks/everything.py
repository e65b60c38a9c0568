"""All attacks, in the order in which they are played."""

from . import commits, copies, devices, hosts, logs, machines, numbers  # noqa: F401
from . import pasts, people, ports, publics  # noqa: F401
