"""Cairn in Nautilus, Nemo and Caja: an emblem for the state of each name, and three menu items.

One file serves all three: nautilus-python, nemo-python and python-caja load it from their own folders,
and the name of the folder shows which one it is. All information comes from `cairn stat --stream`, a
process that gets each name as soon as a folder shows it. Nothing here waits for an answer.
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

# Names of the freedesktop icon naming specification, which every theme has, each after "emblem-".
EMBLEMS = {
    "synced": "default", "sending": "synchronizing", "receiving": "synchronizing",
    "problem": "important", "conflict": "important", "held": "important",
}
# Events that may have changed the state of a name. Others, such as the start of an export, haven't yet.
NEWS = re.compile(
    r"(export|import)\.end|conflict|rescued|problem|deletions\.|share\.|mount\.|traffic\.|file\.")
# The emblem of a file that a person has open on another device.
OPEN = "readonly"
# The number of files that are remembered for their changes and for the menu.
REMEMBERED = 2000
# The seconds before a process that ended is started again.
PAUSE = 10
IN_PROGRESS, COMPLETE = Files.OperationResult.IN_PROGRESS, Files.OperationResult.COMPLETE


def program():
    """The path of the command, or None if it isn't installed."""
    return shutil.which("cairn")


def path_of(file):
    """The path of a file as bytes, or None if it is on no local file system."""
    uri = file.get_uri()
    return urllib.parse.unquote_to_bytes(uri[7:]) if uri.startswith("file:///") else None


def bytes_of(path):
    """A path in an answer of the daemon: a text, or an object if it isn't UTF-8."""
    if isinstance(path, str):
        return path.encode()
    return base64.b64decode(path["base64"]) if path else b""


class Child:
    """A process of `cairn` that reads lines and answers lines, and that no caller waits for."""

    def __init__(self, arguments, on_line, on_end):
        self.arguments, self.on_line, self.on_end = arguments, on_line, on_end
        self.process, self.begun = None, -PAUSE
        self.written, self.read, self.is_full = b"", b"", False

    def start(self):
        """Starts the process unless it runs. Returns True if it runs now."""
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
        """Sends a line to the process, after the lines before it."""
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
        """Reads available output. Returns True if more may follow."""
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
    """Answers the file manager: the state of a file, and the possible actions."""

    def __init__(self):
        super().__init__()
        self.asked = collections.deque()
        self.known = collections.OrderedDict()
        self.stale, self.is_due = set(), False
        self.stat = Child(["stat", "--stream", "--null"], self.answered, self.failed)
        self.events = Child(["events", "--follow", "--json"], self.happened, lambda: None)

    # The state of a file

    def update_file_info_full(self, provider, handle, closure, file):
        path = path_of(file)
        if not path or not self.stat.start():
            return COMPLETE
        self.ask(path, file, provider, handle, closure)
        # The folder of a window also has a menu, and no file manager requests its state.
        folder = os.path.dirname(path)
        if folder not in self.known:
            self.known[folder] = (None, {})
            self.ask(folder)
        return IN_PROGRESS

    def ask(self, path, file=None, *whom):
        """Requests the state of a path, for a waiting file manager if one is given."""
        self.asked.append((path, file, *(whom or (None, None, None))))
        self.stat.tell(path + b"\0")

    def update_file_info(self, file):
        """Requests the state for a file manager that can't wait for the answer."""
        return self.update_file_info_full(None, None, None, file)

    def cancel_update(self, provider, handle):
        """Cancels a request. Its answer still arrives in order, and is ignored."""
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
            if file and answer.get("openBy"):
                file.add_emblem(OPEN)
        self.complete(*whom)

    def failed(self):
        """Drops all open requests after the process ended."""
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

    # Events

    def happened(self, line):
        event = json.loads(line)
        if not NEWS.match(event.get("kind", "")):
            return
        self.stale.add(bytes_of(event.get("path")))
        if not self.is_due:
            self.is_due = True
            GLib.timeout_add(300, self.renew)

    def renew(self):
        """Lets the file manager request files again that may have changed."""
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
        """Nautilus 43 and later pass only the files. All others pass a window before them."""
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
            # What is inside has no link of its own: that of all around it is offered by its name.
            is_all = answer.get("target") == "folder"
            label = "Copy link" if is_all else f"Copy link to “{answer.get('title')}”"
            items.append(self.item("Link", label, "Put a link that lets people in into the "
                                   "clipboard", answer.get("share").encode(), "share", "link",
                                   "--copy"))
        if is_ours:
            items.append(self.item("Versions", "Versions", "Look at it as it was, and bring it back",
                                   path, "console", "--show"))
        return items

    def item(self, name, label, tip, path, *command):
        item = Files.MenuItem(name="Cairn::" + name, label=label, tip=tip)
        item.connect("activate", lambda *_: run(label, command, path))
        return item


def run(label, command, path):
    """Runs a command for a path, and shows its output only if that matters."""
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
    """Shows a desktop notification, if the desktop has a server for them."""

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
