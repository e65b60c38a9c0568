"""Cairn in Nautilus, Nemo and Caja: an emblem for how each name stands, and three items of the menu.

One file for all three: nautilus-python, nemo-python and python-caja load it from their own folders,
whose names say which of them it is. All that is known comes from `cairn stat --stream`, a process
that is asked about a name as soon as a folder shows it; nothing here waits for an answer.
"""

import base64
import collections
import fcntl
import json
import os
import re
import shutil
import subprocess
import time
import urllib.parse

import gi

_HERE = os.path.dirname(os.path.abspath(__file__))
_NAME = next((name for name in ("Nemo", "Caja") if name.lower() + "-python" in _HERE), "Nautilus")
for _version in {"Nautilus": ("4.1", "4.0", "3.0"), "Nemo": ("3.0",), "Caja": ("2.0",)}[_NAME]:
    try:
        gi.require_version(_NAME, _version)
        break
    except ValueError:
        continue

from gi.repository import Gio, GLib, GObject  # noqa: E402

Files = getattr(__import__("gi.repository", fromlist=[_NAME]), _NAME)

# Names of the freedesktop icon naming specification, which every theme has: each behind "emblem-".
EMBLEMS = {
    "synced": "default", "sending": "synchronizing", "receiving": "synchronizing",
    "problem": "important", "conflict": "important", "held": "important",
}
# What may have changed how a name stands. Others, as the beginning of an export, didn't yet.
NEWS = re.compile(r"(export|import)\.end|conflict|rescued|problem|deletions\.|share\.|mount\.|traffic\.")
# So many files are remembered for when they change, and for the menu.
REMEMBERED = 2000
# A process that ended is started again, but not at once, in seconds.
PAUSE = 10
IN_PROGRESS, COMPLETE = Files.OperationResult.IN_PROGRESS, Files.OperationResult.COMPLETE


def program():
    """Where the command is; None if it isn't installed."""
    return shutil.which("cairn")


def path_of(file):
    """The path of a file as bytes; None if it is on no local file system."""
    uri = file.get_uri()
    return urllib.parse.unquote_to_bytes(uri[7:]) if uri.startswith("file:///") else None


def bytes_of(path):
    """A path of the daemon's answers: a text, or an object for what isn't UTF-8."""
    if isinstance(path, str):
        return path.encode()
    return base64.b64decode(path["base64"]) if path else b""


class Child:
    """A process of `cairn` that is told lines and answers lines, without anybody waiting for it."""

    def __init__(self, arguments, on_line, on_end):
        self.arguments, self.on_line, self.on_end = arguments, on_line, on_end
        self.process, self.begun = None, -PAUSE
        self.written, self.read, self.is_full = b"", b"", False

    def start(self):
        """Starts it unless it runs; whether it runs now."""
        if self.process:
            return True
        if time.monotonic() - self.begun < PAUSE or not program():
            return False
        self.begun = time.monotonic()
        try:
            self.process = subprocess.Popen(
                [program(), *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, bufsize=0)
        except OSError:
            return False
        for pipe in (self.process.stdin, self.process.stdout):
            flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
            fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        GLib.io_add_watch(
            self.process.stdout.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.take)
        return True

    def tell(self, line):
        """Sends it a line, now or when it has read the others."""
        self.written += line
        if not self.is_full:
            self.write()

    def write(self, *_):
        self.is_full = False
        while self.process and self.written:
            try:
                count = os.write(self.process.stdin.fileno(), self.written)
            except BlockingIOError:
                self.is_full = True
                GLib.io_add_watch(
                    self.process.stdin.fileno(), GLib.PRIORITY_DEFAULT,
                    GLib.IO_OUT | GLib.IO_ERR | GLib.IO_HUP, self.write)
                break
            except OSError:
                break  # It has ended, which its output tells.
            self.written = self.written[count:]
        return False

    def take(self, *_):
        """Something came; whether more is to come."""
        try:
            some = os.read(self.process.stdout.fileno(), 1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            some = b""
        if not some:
            self.end()
            return False
        *lines, self.read = (self.read + some).split(b"\n")
        for line in lines:
            self.on_line(line)
        return True

    def end(self):
        process, self.process = self.process, None
        self.written, self.read, self.is_full = b"", b"", False
        process.stdin.close()
        process.stdout.close()
        process.wait()
        self.on_end()


class CairnExtension(GObject.GObject, Files.InfoProvider, Files.MenuProvider):
    """What the file manager asks: how a file stands, and what can be done with it."""

    def __init__(self):
        super().__init__()
        self.asked = collections.deque()
        self.known = collections.OrderedDict()
        self.stale, self.is_due = set(), False
        self.stat = Child(["stat", "--stream", "--null"], self.answered, self.failed)
        self.events = Child(["events", "--follow", "--json"], self.happened, lambda: None)

    # How a file stands

    def update_file_info_full(self, provider, handle, closure, file):
        path = path_of(file)
        if not path or not self.stat.start():
            return COMPLETE
        self.ask(path, file, provider, handle, closure)
        # A window's own folder has a menu too, and no file manager asks about it.
        folder = os.path.dirname(path)
        if folder not in self.known:
            self.known[folder] = (None, {})
            self.ask(folder)
        return IN_PROGRESS

    def ask(self, path, file=None, *whom):
        """Asks about a path; a file manager waits for the answer if `whom` says which."""
        self.asked.append((path, file, *(whom or (None, None, None))))
        self.stat.tell(path + b"\0")

    def update_file_info(self, file):
        """For a file manager that knows no other way: nobody waits for what comes of it."""
        return self.update_file_info_full(None, None, None, file)

    def cancel_update(self, provider, handle):
        """Nobody wants that answer any more; it comes all the same, in its place."""
        self.asked = collections.deque(
            one if one[3] is not handle else (*one[:2], None, None, None) for one in self.asked)

    def answered(self, line):
        if not self.asked:
            return
        path, file, *whom = self.asked.popleft()
        answer = json.loads(line)
        if "error" not in answer:
            self.events.start()
            self.remember(path, file, answer)
            emblem = EMBLEMS.get(answer.get("state"))
            if file and emblem and answer.get("zone"):
                file.add_emblem(emblem)
        self.complete(*whom)

    def failed(self):
        """The process ended: what was asked stays without an answer."""
        asked, self.asked = self.asked, collections.deque()
        for path, file, *whom in asked:
            if not file:
                self.known.pop(path, None)
            self.complete(*whom)

    def complete(self, provider, handle, closure):
        if closure is not None:
            Files.info_provider_update_complete_invoke(closure, provider, handle, COMPLETE)

    def remember(self, path, file, answer):
        file = file or self.known.pop(path, (None, {}))[0]
        self.known.pop(path, None)
        self.known[path] = (file, answer)
        while len(self.known) > REMEMBERED:
            self.known.popitem(last=False)

    # What happens

    def happened(self, line):
        event = json.loads(line)
        if not NEWS.match(event.get("kind", "")):
            return
        self.stale.add(bytes_of(event.get("path")))
        if not self.is_due:
            self.is_due = True
            GLib.timeout_add(300, self.renew)

    def renew(self):
        """Has the file manager ask again about what may stand otherwise now."""
        stale, self.stale, self.is_due = self.stale, set(), False
        for path, (file, _) in list(self.known.items()):
            if not any(path == one or path.startswith(one + b"/") for one in stale):
                continue
            if file:
                file.invalidate_extension_info()
            elif self.stat.start():
                self.ask(path)
        return False

    # The menu

    def get_file_items(self, *arguments):
        """Nautilus 43 and later give the files alone, all others a window before them."""
        files = arguments[-1]
        return self.items(files[0]) if len(files) == 1 else []

    def get_background_items(self, *arguments):
        return self.items(arguments[-1])

    def items(self, file):
        path = path_of(file)
        if not path or not program():
            return []
        _, answer = self.known.get(path, (None, {}))
        is_ours = answer.get("zone") and answer.get("state") != "ignored"
        items = []
        if file.is_directory() or is_ours:
            items.append(self.item("Share", "Share…", "Share it with people, or see who has it",
                                   path, "console", "--show", "people"))
        if answer.get("shared") in ("owner", "participant"):
            items.append(self.item("Link", "Copy link", "Put a link that lets people in into the "
                                   "clipboard", path, "share", "link", "--copy"))
        if is_ours:
            items.append(self.item("Versions", "Versions", "Look at it as it was, and bring it back",
                                   path, "console", "--show"))
        return items

    def item(self, name, label, tip, path, *command):
        item = Files.MenuItem(name="Cairn::" + name, label=label, tip=tip)
        item.connect("activate", lambda *_: run(label, command, path))
        return item


def run(label, command, path):
    """Runs a command about a path; what it says is told only if that matters."""
    arguments = [program(), *command]
    try:
        process = subprocess.Popen(
            [os.fsencode(one) for one in arguments] + [path], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, bufsize=0)
    except OSError as error:
        return tell(label, str(error))
    said = []

    def take(*_):
        some = os.read(process.stderr.fileno(), 1 << 16)
        said.append(some)
        if some:
            return True
        process.stderr.close()
        text = b"".join(said).decode(errors="replace").strip()
        if process.wait() != 0:
            tell(label, text)
        elif "--copy" in command:
            tell("The link is in the clipboard", "Whoever has it can join: send it as you would "
                 "send a key.")
        return False

    GLib.io_add_watch(
        process.stderr.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, take)
    return None


def tell(title, text):
    """A notice of the desktop; without one nobody is told."""

    def send(_, result):
        try:
            Gio.bus_get_finish(result).call(
                "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                "org.freedesktop.Notifications", "Notify",
                GLib.Variant("(susssasa{sv}i)", (
                    "Cairn", 0, "cairn", title, GLib.markup_escape_text(text), [], {}, -1)),
                None, Gio.DBusCallFlags.NONE, 5000, None, None)
        except GLib.Error:
            pass

    Gio.bus_get(Gio.BusType.SESSION, None, send)
