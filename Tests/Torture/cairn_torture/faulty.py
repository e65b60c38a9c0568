"""A FUSE file system that passes everything through to a directory, and fails on request.

    python3 faulty.py SOURCE MOUNTPOINT CONTROL

CONTROL is a JSON file that is read again whenever it is replaced. `spare` lists the processes
without faults. `program`, if present, is the only program with faults. `faults` is a list of

    calls      the calls, by the names of the handlers below
    act        `fail` with `errno`; `lost`: it is done, and the answer is `errno`; `late`, by
               `seconds`; `short`: a read gives half; `lie`: a read gives one wrong bit
    chance     the share of these calls that fail (1: always)
    count      the maximum number of times

The number of times that each fault happened is in CONTROL.hits, which is written before the call is
answered.
"""

import ctypes
import errno
import json
import os
import random
import stat
import sys
from typing import Any

import pyfuse3
import trio
from pyfuse3 import FUSEError

PATH_FLAGS = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
LIBC = ctypes.CDLL(None, use_errno=True)


class Faults:
    """The faults in the control file."""

    def __init__(self, control: str) -> None:
        self._control = control
        self._seen: tuple[int, int] | None = None
        self._spare: set[int] = set()
        self._program: str | None = None
        self._faults: list[dict[str, Any]] = []
        self._dice = random.Random(0)

    def _refresh(self) -> None:
        told = os.stat(self._control)
        if (told.st_ino, told.st_mtime_ns) == self._seen:
            return
        self._seen = (told.st_ino, told.st_mtime_ns)
        with open(self._control, encoding="utf-8") as file:
            content = json.load(file)
        self._spare = set(content["spare"])
        self._program = content.get("program")
        self._faults = content["faults"]
        self._dice = random.Random(content["seed"])
        self._note()

    def _note(self) -> None:
        with open(f"{self._control}.new", "w", encoding="utf-8") as file:
            json.dump([fault.get("hits", 0) for fault in self._faults], file)
        os.rename(f"{self._control}.new", f"{self._control}.hits")

    def of(self, call: str, pid: int) -> dict[str, Any] | None:
        """Returns the fault for a call of a process, or None."""
        self._refresh()
        if pid in self._spare or self._program is not None and program(pid) != self._program:
            return None
        for fault in self._faults:
            hits = fault.get("hits", 0)
            if call not in fault["calls"] or hits >= fault.get("count", sys.maxsize):
                continue
            if self._dice.random() >= fault.get("chance", 1):
                continue
            fault["hits"] = hits + 1
            if hits < 1000:
                self._note()
            return fault
        return None


def program(pid: int) -> str:
    """Returns the program that a process, or a thread of it, runs. Empty if it is gone, or the
    kernel's own."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return ""


class Node:
    """A file that the kernel knows. It is kept by a descriptor, so that no name has to lead to
    it."""

    def __init__(self, file: int, key: tuple[int, int]) -> None:
        self.file, self.key = file, key
        self.lookups = 0


class Handle:
    """An open file, and the process that opened it."""

    def __init__(self, file: int, pid: int) -> None:
        self.file, self.pid = file, pid
        self.names: list[bytes] = []
        # The part of a database's log that processes share is memory. No disk can spoil it.
        self.is_memory = os.readlink(f"/proc/self/fd/{file}").endswith("-shm")


class PassThrough(pyfuse3.Operations):
    """Passes everything through to the directory, except for the faults."""

    enable_writeback_cache = False

    def __init__(self, source: str, faults: Faults) -> None:
        super().__init__()
        self._faults = faults
        root = os.open(source, PATH_FLAGS)
        self._device = os.fstat(root).st_dev
        self._nodes = {pyfuse3.ROOT_INODE: Node(root, self._key(os.fstat(root)))}
        self._numbers = {self._nodes[pyfuse3.ROOT_INODE].key: pyfuse3.ROOT_INODE}
        self._next = pyfuse3.ROOT_INODE + 1
        self._handles: dict[int, Handle] = {}

    # The places of files

    @staticmethod
    def _key(status: os.stat_result) -> tuple[int, int]:
        return (status.st_dev, status.st_ino)

    def _file(self, inode: int) -> int:
        return self._nodes[inode].file

    def _path(self, inode: int) -> str:
        """A path that leads to the file itself, whatever its names are."""
        return f"/proc/self/fd/{self._file(inode)}"

    def _attributes(self, inode: int) -> pyfuse3.EntryAttributes:
        status = os.fstat(self._file(inode))
        entry = pyfuse3.EntryAttributes()
        for name in (
            "st_mode", "st_nlink", "st_uid", "st_gid", "st_rdev", "st_size", "st_atime_ns",
            "st_mtime_ns", "st_ctime_ns", "st_blocks",
        ):
            setattr(entry, name, getattr(status, name))
        # Each process looks a name up again each time, so that the kernel's cache hides no fault.
        entry.st_ino, entry.st_blksize, entry.generation = inode, 4096, 0
        entry.entry_timeout = entry.attr_timeout = 0
        return entry

    def _known(self, parent: int, name: bytes) -> pyfuse3.EntryAttributes:
        """Returns the entry of that name, which the kernel knows from here on."""
        file = os.open(name, PATH_FLAGS, dir_fd=self._file(parent))
        key = self._key(os.fstat(file))
        number = self._numbers.get(key)
        if number is None:
            number, self._next = self._next, self._next + 1
            self._nodes[number] = Node(file, key)
            self._numbers[key] = number
        else:
            os.close(file)
        self._nodes[number].lookups += 1
        return self._attributes(number)

    async def forget(self, inode_list: list[tuple[int, int]]) -> None:
        for number, count in inode_list:
            node = self._nodes[number]
            node.lookups -= count
            if node.lookups <= 0 and number != pyfuse3.ROOT_INODE:
                os.close(node.file)
                del self._nodes[number], self._numbers[node.key]

    # Faults

    async def _before(self, call: str, pid: int) -> dict[str, Any] | None:
        """Returns the fault of a call. Raises if the call fails without being done."""
        fault = self._faults.of(call, pid)
        if fault is not None and fault["act"] == "fail":
            raise FUSEError(getattr(errno, fault["errno"]))
        if fault is not None and fault["act"] == "late":
            await trio.sleep(fault["seconds"])
        return fault

    @staticmethod
    def _after(fault: dict[str, Any] | None) -> None:
        if fault is not None and fault["act"] == "lost":
            raise FUSEError(getattr(errno, fault["errno"]))

    # Names

    async def lookup(self, parent_inode, name, ctx):
        await self._before("lookup", ctx.pid)
        return self._known(parent_inode, name)

    async def _make(self, call, parent, name, ctx, make):
        fault = await self._before(call, ctx.pid)
        make(self._file(parent))
        self._after(fault)
        return self._known(parent, name)

    async def mkdir(self, parent_inode, name, mode, ctx):
        return await self._make(
            "mkdir", parent_inode, name, ctx, lambda at: os.mkdir(name, mode, dir_fd=at)
        )

    async def mknod(self, parent_inode, name, mode, rdev, ctx):
        return await self._make(
            "create", parent_inode, name, ctx, lambda at: os.mknod(name, mode, rdev, dir_fd=at)
        )

    async def symlink(self, parent_inode, name, target, ctx):
        return await self._make(
            "symlink", parent_inode, name, ctx, lambda at: os.symlink(target, name, dir_fd=at)
        )

    async def link(self, inode, new_parent_inode, new_name, ctx):
        path = self._path(inode)
        return await self._make(
            "link", new_parent_inode, new_name, ctx,
            lambda at: os.link(path, new_name, dst_dir_fd=at, follow_symlinks=True),
        )

    async def unlink(self, parent_inode, name, ctx):
        fault = await self._before("unlink", ctx.pid)
        os.unlink(name, dir_fd=self._file(parent_inode))
        self._after(fault)

    async def rmdir(self, parent_inode, name, ctx):
        fault = await self._before("rmdir", ctx.pid)
        os.rmdir(name, dir_fd=self._file(parent_inode))
        self._after(fault)

    async def rename(self, parent_inode_old, name_old, parent_inode_new, name_new, flags, ctx):
        fault = await self._before("rename", ctx.pid)
        places = (self._file(parent_inode_old), name_old, self._file(parent_inode_new), name_new)
        if LIBC.renameat2(*places, flags) != 0:
            raise FUSEError(ctypes.get_errno())
        self._after(fault)

    async def readlink(self, inode, ctx):
        await self._before("readlink", ctx.pid)
        return os.fsencode(os.readlink("", dir_fd=self._file(inode)))

    # Attributes

    async def getattr(self, inode, ctx):
        await self._before("getattr", ctx.pid if ctx else 0)
        return self._attributes(inode)

    async def setattr(self, inode, attr, fields, fh, ctx):
        fault = await self._before("setattr", ctx.pid)
        path = self._path(inode)
        is_link = stat.S_ISLNK(os.fstat(self._file(inode)).st_mode)
        if fields.update_size:
            os.truncate(self._handles[fh].file if fh is not None else path, attr.st_size)
        if fields.update_mode:
            os.chmod(path, stat.S_IMODE(attr.st_mode))
        if fields.update_uid or fields.update_gid:
            owner = attr.st_uid if fields.update_uid else -1
            os.chown(path, owner, attr.st_gid if fields.update_gid else -1)
        # The path of its descriptor doesn't reach a symbolic link.
        if (fields.update_atime or fields.update_mtime) and not is_link:
            status = os.fstat(self._file(inode))
            accessed = attr.st_atime_ns if fields.update_atime else status.st_atime_ns
            modified = attr.st_mtime_ns if fields.update_mtime else status.st_mtime_ns
            os.utime(path, ns=(accessed, modified))
        self._after(fault)
        return self._attributes(inode)

    async def getxattr(self, inode, name, ctx):
        await self._before("getxattr", ctx.pid)
        return os.getxattr(self._path(inode), name)

    async def setxattr(self, inode, name, value, ctx):
        await self._before("setxattr", ctx.pid)
        os.setxattr(self._path(inode), name, value)

    async def listxattr(self, inode, ctx):
        await self._before("getxattr", ctx.pid)
        return [os.fsencode(name) for name in os.listxattr(self._path(inode))]

    async def removexattr(self, inode, name, ctx):
        await self._before("setxattr", ctx.pid)
        os.removexattr(self._path(inode), name)

    async def statfs(self, ctx):
        await self._before("statfs", ctx.pid)
        found = os.statvfs(self._path(pyfuse3.ROOT_INODE))
        told = pyfuse3.StatvfsData()
        for name in ("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail", "f_files",
                     "f_ffree", "f_favail", "f_namemax"):
            setattr(told, name, getattr(found, name))
        return told

    # Open files

    def _opened(self, file: int, ctx: pyfuse3.RequestContext) -> int:
        self._handles[file] = Handle(file, ctx.pid)
        return file

    def _file_info(self, file: int, ctx: pyfuse3.RequestContext) -> pyfuse3.FileInfo:
        number = self._opened(file, ctx)
        # Memory can be mapped only if the kernel may keep its pages.
        return pyfuse3.FileInfo(fh=number, direct_io=not self._handles[number].is_memory)

    async def _of_bytes(self, call: str, handle: Handle) -> dict[str, Any] | None:
        return None if handle.is_memory else await self._before(call, handle.pid)

    async def open(self, inode, flags, ctx):
        await self._before("open", ctx.pid)
        # The kernel has followed links, appends by offset itself, and checks the permissions.
        flags &= ~(os.O_NOFOLLOW | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        file = os.open(self._path(inode), flags | os.O_CLOEXEC)
        return self._file_info(file, ctx)

    async def create(self, parent_inode, name, mode, flags, ctx):
        fault = await self._before("create", ctx.pid)
        flags = (flags & ~os.O_APPEND) | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(name, flags, mode, dir_fd=self._file(parent_inode))
        if fault is not None and fault["act"] == "lost":
            os.close(file)
        self._after(fault)
        entry = self._known(parent_inode, name)
        return self._file_info(file, ctx), entry

    async def read(self, fh, off, size):
        handle = self._handles[fh]
        fault = await self._of_bytes("read", handle)
        data = os.pread(handle.file, size, off)
        if fault is not None and fault["act"] == "short" and len(data) > 1:
            return data[: len(data) // 2]
        if fault is not None and fault["act"] == "lie" and data:
            at = len(data) // 2
            return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]
        return data

    async def write(self, fh, off, buf):
        handle = self._handles[fh]
        fault = await self._of_bytes("write", handle)
        if fault is not None and fault["act"] == "short" and len(buf) > 1:
            buf = buf[: len(buf) // 2]
        count = os.pwrite(handle.file, buf, off)
        self._after(fault)
        return count

    async def flush(self, fh):
        await self._before("flush", self._handles[fh].pid)

    async def fsync(self, fh, datasync):
        fault = await self._before("fsync", self._handles[fh].pid)
        os.fsync(self._handles[fh].file)
        self._after(fault)

    async def release(self, fh):
        del self._handles[fh]
        os.close(fh)

    async def opendir(self, inode, ctx):
        await self._before("opendir", ctx.pid)
        file = os.open(self._path(inode), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return self._opened(file, ctx)

    async def readdir(self, fh, start_id, token):
        handle = self._handles[fh]
        await self._before("readdir", handle.pid)
        if start_id == 0:
            handle.names = [os.fsencode(name) for name in os.listdir(handle.file)]
        parent = self._numbers[self._key(os.fstat(handle.file))]
        for place in range(start_id, len(handle.names)):
            try:
                entry = self._known(parent, handle.names[place])
            except FileNotFoundError:
                continue
            if not pyfuse3.readdir_reply(token, handle.names[place], entry, place + 1):
                await self.forget([(entry.st_ino, 1)])
                return

    async def fsyncdir(self, fh, datasync):
        await self.fsync(fh, datasync)

    async def releasedir(self, fh):
        await self.release(fh)


def answering_errors(kind: type) -> None:
    """Passes the directory's own errors on unchanged."""

    def wrapped(method):
        async def call(self, *arguments):
            try:
                return await method(self, *arguments)
            except OSError as error:
                raise FUSEError(error.errno or errno.EIO) from error

        return call

    for name in vars(pyfuse3.Operations):
        if name in vars(kind) and callable(vars(kind)[name]) and not name.startswith("_"):
            setattr(kind, name, wrapped(vars(kind)[name]))


def main() -> None:
    source, mountpoint, control = sys.argv[1:]
    os.umask(0)
    answering_errors(PassThrough)
    options = set(pyfuse3.default_options) | {"fsname=cairn-faulty", "default_permissions"}
    pyfuse3.init(PassThrough(source, Faults(control)), mountpoint, options)
    print("mounted", flush=True)
    try:
        trio.run(pyfuse3.main)
    finally:
        pyfuse3.close(unmount=False)


if __name__ == "__main__":
    main()
