"""Whole containers: the zones of an account, and the comparison of folders with their zones."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

from .account import Everything, read_everything
from .contents import ContentReader
from .problems import FormatProblem
from .state import Record, ZoneState
from .state_digest import state_digest
from .zone_reader import ReadZone


def read(home: str, directory: str, with_account: bool = False) -> dict[str, Any]:
    """Returns one JSON of all zones: header, records, paths and contents."""
    everything = read_everything(home, directory)
    zones = [_zone_json(everything, read) for _, read in sorted(everything.zones.items())]
    out: dict[str, Any] = {
        "container": everything.id.hex(),
        "user": everything.account.user.hex(),
        "device": everything.account.device.hex(),
        "zones": zones,
        "problems": {zone.hex(): text for zone, text in everything.problems.items()},
    }
    if with_account:
        out["account"] = _zone_json(everything, everything.own)
    return out


def _zone_json(everything: Everything, read: ReadZone) -> dict[str, Any]:
    out: dict[str, Any] = {
        "state": read.state.as_json(state_digest(read.state)),
        "held": read.held,
        "endsHere": read.ends_here,
        "fromCopies": read.from_copies,
        "floor": read.floor,
        "past": _past_json(read),
        "paths": {},
        "unreadable": [],
    }
    contents = ContentReader(everything.container)
    for record in read.state.records.values():
        if record.parent is None:
            continue
        path = read.state.path(record).decode("utf-8", "backslashreplace")
        out["paths"][path] = record.id.hex()
        if record.kind == "file":
            try:
                data = contents.read(record.size, record.chunks, read.state.chunks)
                out["paths"][path] += " " + hashlib.sha256(data).hexdigest()
            except FormatProblem as problem:
                out["unreadable"].append(f"{path}: {problem}")
    return out


def _past_json(read: ReadZone) -> list[str]:
    """The versions in a floor's snapshot, including those that are hidden from others."""
    if read.past is None:
        return []
    hidden = [each for part in read.past.hidden.values() for each in part.versions]
    return sorted(
        f"{each.record.id.hex()} {each.record.changed.sequence} {each.ended.sequence} "
        f"{each.ending} {each.record.content.id.hex() if each.record.content is not None else ''}"
        for each in (*read.past.versions, *hidden)
    )


# --- folders


class FolderComparison:
    """Compares a mirrored folder with the records of its zone, from names to times."""

    def __init__(self, everything: Everything) -> None:
        self._everything = everything
        self._contents = ContentReader(everything.container)
        self.differences: list[str] = []
        self.compared = 0

    def compare(self, zone: bytes, part: bytes, path: str, is_file: bool) -> None:
        """Compares one mount with its zone, or a part of the zone."""
        read = self._everything.zones.get(zone)
        if read is None or read.held is not None:
            why = self._everything.problems.get(zone) if read is None else read.held
            self.differences.append(f"{path}: its zone can't be read: {why}")
            return
        record = read.state.records.get(part)
        if record is None:
            self.differences.append(f"{path}: there is no record {part.hex()} in its zone")
        elif is_file:
            self._file(read.state, record, os.fsencode(path))
        else:
            self._directory(read.state, part, os.fsencode(path))

    def _directory(self, state: ZoneState, directory: bytes, path: bytes) -> None:
        children = {}
        for id in state.children.get(directory, ()):
            children[state.records[id].name] = state.records[id]
        found = set(os.listdir(path)) - {b".cairn"} if os.path.isdir(path) else set()
        for name in sorted(found | set(children)):
            below = path + b"/" + name
            if name not in children:
                self._differ(below, "isn't in the zone")
            elif name not in found:
                self._differ(below, "isn't in the folder")
            else:
                self._record(state, children[name], below)

    def _record(self, state: ZoneState, record: Record, path: bytes) -> None:
        self.compared += 1
        if record.kind == "reference":
            target = record.target or b""
            self.compare(target[:32], target[32:], os.fsdecode(path), self._is_file(target))
            return
        status = os.lstat(path)
        if record.kind == "directory" and stat.S_ISDIR(status.st_mode):
            self._directory(state, record.id, path)
        elif record.kind == "symlink" and stat.S_ISLNK(status.st_mode):
            if os.readlink(path) != record.target:
                self._differ(path, "has another target")
        elif record.kind == "file" and stat.S_ISREG(status.st_mode):
            self._file(state, record, path)
        else:
            self._differ(path, f"is no {record.kind}")

    def _is_file(self, target: bytes) -> bool:
        read = self._everything.zones.get(target[:32])
        record = read.state.records.get(target[32:]) if read is not None else None
        return record is not None and record.kind == "file"

    def _file(self, state: ZoneState, record: Record, path: bytes) -> None:
        status = os.lstat(path)
        try:
            data = self._contents.read(record.size, record.chunks, state.chunks)
        except FormatProblem as problem:
            self._differ(path, str(problem))
            return
        if Path(os.fsdecode(path)).read_bytes() != data:
            self._differ(path, "has other bytes")
        if bool(status.st_mode & 0o100) != record.executable:
            self._differ(path, "has another executable bit")
        if status.st_mtime_ns != record.modified:
            self._differ(path, f"is of {status.st_mtime_ns} and not {record.modified}")

    def _differ(self, path: bytes, how: str) -> None:
        self.differences.append(f"{os.fsdecode(path)!r} {how}")


def compare(home: str, directory: str) -> dict[str, Any]:
    """Compares each folder that the home's device mirrors with its zone."""
    everything = read_everything(home, directory)
    comparison = FolderComparison(everything)
    mounts = everything.mounts(everything.account.device)
    for mount in mounts:
        comparison.compare(*mount)
    if everything.own.held is not None:
        comparison.differences.append(f"the account zone: {everything.own.held}")
    return {
        "mounts": [path for _, _, path, _ in mounts],
        "records": comparison.compared,
        "differences": comparison.differences,
    }


