"""Ceph's gateway, run by the functions of `ceph.bash`, and the requests in its log."""

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

from .line import Namespace
from .s3 import Key

HERE = Path(__file__).resolve().parent.parent
PORT = 17480
# The variables and functions that `run` defines and `ceph.bash` needs.
PREAMBLE = f"""
set -euo pipefail
world=$WORLD ceph_address=0.0.0.0 ceph_gateway=$GATEWAY
export CEPH_CONF=$world/ceph/ceph.conf
await() {{ # COMMAND WHAT
  local patience=1200
  until eval "$1" >/dev/null 2>&1; do
    ((patience -= 1)) || {{ echo "waited in vain for $2" >&2; exit 1; }}
    sleep 0.1
  done
}}
. {HERE}/ceph.bash
"""


class Ceph:
    """One OSD, one monitor and one gateway in a namespace."""

    def __init__(self, folder: Path, namespace: Namespace, gateway: str) -> None:
        self._world, self._namespace, self._gateway = folder, namespace, gateway
        self._run("begin_ceph 1")

    def user(self, name: str) -> Key:
        return Key(*self._run(f"ceph_user {name}").split())

    def end(self) -> None:
        self._run("end_ceph")

    def requests(self) -> list[str]:
        """Returns each request so far as the gateway logged it, like `GET /bucket/name`."""
        # The gateway writes its log after its answers.
        self._run("ceph --admin-daemon $(ls $world/ceph/run/client.rgw*.asok) log flush")
        log = (self._world / "ceph/log/client.rgw.log").read_text(errors="replace")
        return re.findall(r'beast: .*?"((?:GET|PUT|DELETE|HEAD|POST) \S*)', log)

    def _run(self, command: str) -> str:
        environment = {**os.environ, "WORLD": str(self._world), "GATEWAY": self._gateway}
        return subprocess.run(
            self._namespace.enter("bash", "-c", PREAMBLE + command), check=True,
            stdout=subprocess.PIPE, text=True, env=environment,
        ).stdout


def kinds(requests: list[str]) -> Counter[str]:
    """Counts the requests of each kind. A GET with a query of the bucket is a LIST."""
    return Counter(
        "LIST" if "list-type" in each else each.split(" ", 1)[0] for each in requests)
