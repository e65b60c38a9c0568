"""KEYS: a container in a directory, as a set of immutable objects."""

import os
import re
import secrets
from pathlib import Path

from . import schema
from .problems import Invalid

_COMPONENT = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,254}\Z")


def check_key(key: str) -> None:
    """Checks a key: at most 16 components of `a-z 0-9 . _ -`, none with a leading dot, the first
    not `tmp`."""
    parts = key.split("/")
    if len(key) > 1024 or len(parts) > 16 or parts[0] == "tmp":
        raise Invalid(f"no key: {key}")
    if not all(_COMPONENT.match(part) for part in parts):
        raise Invalid(f"no key: {key}")


class Container:
    """Objects below a directory. Symbolic links are never followed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def get(self, key: str) -> bytes | None:
        """Returns the object's bytes, or None if there is no object."""
        check_key(key)
        path = self.path
        for part in key.split("/"):
            path = path / part
            if path.is_symlink():
                return None
        return path.read_bytes() if path.is_file() else None

    def names(self, folder: str) -> list[str]:
        """Returns the names of the objects directly below a folder, sorted."""
        check_key(folder)
        path = self.path / folder
        if not path.is_dir():
            return []
        return sorted(each.name for each in path.iterdir() if each.is_file())

    def folders(self, folder: str) -> list[str]:
        """Returns the names of the folders directly below a folder, sorted."""
        path = self.path / folder
        if not path.is_dir():
            return []
        return sorted(each.name for each in path.iterdir() if each.is_dir())

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Writes a whole file, and links it to the key. Returns true if these bytes are stored
        there afterwards."""
        check_key(key)
        path = self.path / key
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path / "tmp" / f"t-{secrets.token_hex(16)}"
        temporary.parent.mkdir(exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        won = os.stat(temporary).st_nlink == 2 or path.read_bytes() == data
        _sync_folder(path.parent)
        temporary.unlink()
        return won

    def delete(self, key: str) -> None:
        """Deletes an object, as its owner may."""
        (self.path / key).unlink(missing_ok=True)

    # --- the root object

    def sites(self) -> list[bytes]:
        """The sites to which the container was moved, up to the present one."""
        data = self.get("container")
        root = schema.decode("ContainerFile", data, canonical=False) if data is not None else None
        if root is not None and any(len(each) != 16 for each in root.sites):
            raise Invalid("a container that was moved to no place")
        return list(root.sites) if root is not None else []

    def ends_at(self, site: bytes) -> bool:
        """Returns true if the log ends here behind an entry that names the site where it goes
        on."""
        return bool(site) and site not in self.sites()

    def identify(self) -> bytes:
        """Returns the container's id from the root object, which may have any valid encoding."""
        data = self.get("container")
        if data is None or len(data) > 65536:
            raise Invalid("there is no root object")
        root = schema.decode("ContainerFile", data, canonical=False)
        if root.format != 1 or len(root.id) != 16:
            raise Invalid(f"a container of format {root.format}")
        return root.id

    def found(
        self, time: int, note: str = "A Cairn container", sites: list[bytes] | None = None
    ) -> bytes:
        """Writes the root object if there is none. Returns the container's id."""
        self.path.mkdir(parents=True, exist_ok=True)
        root = schema.make(
            "ContainerFile", format=1, id=secrets.token_bytes(16), created=time, note=note,
            sites=sites or [],
        )
        self.put_if_absent("container", schema.encode(root))
        return self.identify()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- the places of objects


def chain_folder(user: bytes) -> str:
    """The folder of a person's chain."""
    return f"users/{user.hex()}/log"


def public_folder(author: bytes) -> str:
    """The folder of the log of a person's public zone."""
    return f"users/{author.hex()}/public"


def zone_folder(zone: bytes, founder: bytes) -> str:
    """The folder of a zone, below its founder."""
    return f"users/{founder.hex()}/zones/{zone.hex()}"


def pack_key(owner: bytes, generation: int, pack: bytes) -> str:
    """The key of a pack."""
    name = pack.hex()
    return f"users/{owner.hex()}/packs/{generation:08x}/{name[:2]}/{name}"
