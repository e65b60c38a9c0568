"""A file manager with only the parts that extensions see. It loads examples/desktop/cairn.py, asks it
about files, and chooses from its menu, while a real daemon answers `cairn stat --stream`.

    file_manager.py NAME FOLDER [PATH EMBLEM]...

NAME is Nautilus, Nemo or Caja. FOLDER is shared, and anyone may get a link to it. EMBLEM is the
expected emblem of PATH, or - for none. The exit status is 0 if everything is as expected. Programs
with the names xdg-open and xclip in PATH must write their input to $HOME/opened and $HOME/copied.
"""

import importlib.util
import os
import pathlib
import select
import sys
import time
import types
import urllib.parse

LIMIT = 100  # seconds; a test that takes that long hangs


class Loop:
    """The part of GLib's main loop that extensions use."""

    PRIORITY_DEFAULT, IO_IN, IO_OUT, IO_ERR, IO_HUP = 0, 1, 4, 8, 16

    class Error(Exception):
        pass

    def __init__(self):
        self.watches, self.timers = [], []

    def io_add_watch(self, descriptor, _, condition, callback):
        self.watches.append((descriptor, condition, callback))

    def timeout_add(self, milliseconds, callback):
        self.timers.append((time.monotonic() + milliseconds / 1000, callback))

    def markup_escape_text(self, text):
        return text

    def Variant(self, signature, value):
        assert signature == "(susssasa{sv}i)"
        return value

    def until(self, is_done, what):
        end = time.monotonic() + LIMIT
        while not is_done():
            assert time.monotonic() < end, f"waited in vain: {what}"
            poll = select.poll()
            for descriptor, condition, _ in self.watches:
                poll.register(descriptor, condition)
            ready = dict(poll.poll(100))
            for watch in [one for one in self.watches if one[0] in ready]:
                if not watch[2](watch[0], ready[watch[0]]):
                    self.watches.remove(watch)
            due = [one for one in self.timers if one[0] <= time.monotonic()]
            self.timers = [one for one in self.timers if one not in due]
            for _, callback in due:
                if callback():
                    self.timeout_add(100, callback)


class Bus:
    """The session bus, which keeps the notifications."""

    BusType = types.SimpleNamespace(SESSION=2)
    DBusCallFlags = types.SimpleNamespace(NONE=0)

    def __init__(self):
        self.told = []

    def bus_get(self, _, __, callback):
        callback(None, self)

    def bus_get_finish(self, _):
        return self

    def call(self, name, path, interface, method, arguments, *_):
        assert (name, interface, method) == (
            "org.freedesktop.Notifications", "org.freedesktop.Notifications", "Notify")
        self.told.append(arguments)


class File:
    """A file, as a file manager passes it."""

    def __init__(self, path):
        self.path, self.emblems, self.invalid = os.fsencode(path), [], 0

    def get_uri(self):
        return "file://" + urllib.parse.quote(self.path)

    def is_directory(self):
        return os.path.isdir(self.path)

    def add_emblem(self, name):
        self.emblems.append(name)

    def invalidate_extension_info(self):
        self.invalid += 1


class Item:
    def __init__(self, name, label, tip):
        self.name, self.label, self.tip = name, label, tip

    def connect(self, signal, callback):
        assert signal == "activate"
        self.activate = lambda: callback(self)


def load(name, loop, bus, completed):
    """The extension, as the file manager loads it."""
    files = types.SimpleNamespace(
        InfoProvider=type("InfoProvider", (), {}), MenuProvider=type("MenuProvider", (), {}),
        MenuItem=Item, OperationResult=types.SimpleNamespace(COMPLETE=0, FAILED=1, IN_PROGRESS=2),
        info_provider_update_complete_invoke=lambda *arguments: completed.append(arguments))
    gi = types.ModuleType("gi")
    gi.required = []
    gi.require_version = lambda *version: gi.required.append(version)
    gi.repository = types.ModuleType("gi.repository")
    gi.repository.GLib, gi.repository.Gio = loop, bus
    gi.repository.GObject = types.SimpleNamespace(GObject=type("GObject", (), {}))
    setattr(gi.repository, name, files)
    sys.modules.update({"gi": gi, "gi.repository": gi.repository})
    here = pathlib.Path(__file__).resolve().parents[2] / "examples/desktop/cairn.py"
    place = pathlib.Path(os.environ["HOME"]) / f"{name.lower()}-python/extensions/cairn.py"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(here.read_bytes())
    spec = importlib.util.spec_from_file_location("cairn", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert gi.required and gi.required[0][0] == name, gi.required
    return module.CairnExtension(), files


def main(name, folder, *expected):
    loop, bus, completed = Loop(), Bus(), []
    extension, files = load(name, loop, bus, completed)
    wanted = dict(zip(expected[::2], expected[1::2]))

    # All requests at once, as when a folder is opened. One of them is cancelled.
    shown = {path: File(path) for path in wanted}
    handles = {path: object() for path in wanted}
    for path, file in shown.items():
        result = extension.update_file_info_full(extension, handles[path], path, file)
        assert result == files.OperationResult.IN_PROGRESS, f"{path}: {result}"
    cancelled, handle = File(folder), object()
    extension.update_file_info_full(extension, handle, "cancelled", cancelled)
    extension.cancel_update(extension, handle)
    loop.until(lambda: not extension.asked, "the answers")
    told = [closure for closure, *_ in completed]
    assert told == list(wanted), f"{told} were completed, not {list(wanted)}"
    for path, file in shown.items():
        emblems = [] if wanted[path] == "-" else [wanted[path]]
        assert file.emblems == emblems, f"{path}: {file.emblems}, not {emblems}"

    def menu(path):
        ask = extension.get_file_items
        items = ask([File(path)]) if name == "Nautilus" else ask(object(), [File(path)])
        return {item.label: item for item in items}

    assert list(menu(folder)) == ["Share…", "Copy link", "Versions"], list(menu(folder))
    # A file inside is shared with its folder, so the label names the folder.
    inside = next(path for path in wanted if os.path.dirname(path) == folder
                  and wanted[path] == "default")
    to_folder = f"Copy link to “{os.path.basename(folder)}”"
    assert list(menu(inside)) == ["Share…", to_folder, "Versions"], list(menu(inside))
    # The same in the background of a window of the folder, without a request for the folder.
    within = [path for path in wanted if os.path.dirname(path) == folder]
    other, _ = load(name, loop, bus, completed)
    other.update_file_info_full(other, object(), "within", File(within[0]))
    loop.until(lambda: not other.asked, "the answers about the folder around")
    ask = [File(folder)] if name == "Nautilus" else [object(), File(folder)]
    labels = [item.label for item in other.get_background_items(*ask)]
    assert labels == ["Share…", "Copy link", "Versions"], labels
    for child in (other.stat, other.events):
        child.process.kill()
    loop.until(lambda: not other.stat.process, "the end of the other one")
    assert list(menu("/")) == ["Share…"], list(menu("/"))
    assert list(menu("/etc/passwd")) == [], list(menu("/etc/passwd"))
    two = [File(folder), File("/")]
    assert extension.get_file_items(two) == []

    home = pathlib.Path(os.environ["HOME"])
    links = set()
    for of, label, file, text in [
        (folder, "Share…", "opened", "/people/"), (folder, "Versions", "opened", "/files/"),
        (folder, "Copy link", "copied", "cairn:"), (inside, to_folder, "copied", "cairn:"),
    ]:
        place = home / file
        place.unlink(missing_ok=True)
        menu(of)[label].activate()
        loop.until(lambda: place.exists() and text in place.read_text(), label)
        if file == "copied":
            links.add(place.read_text())
    assert len(links) == 1, links

    loop.until(lambda: len(bus.told) == 2, "the notices of the links")
    assert bus.told[0][3] == "The link is in the clipboard", bus.told
    # Nobody sees a terminal, so errors are also shown as notifications.
    os.environ["CAIRN_HOME"] += "/not"
    menu(folder)["Copy link"].activate()
    os.environ["CAIRN_HOME"] = os.environ["CAIRN_HOME"].removesuffix("/not")
    loop.until(lambda: len(bus.told) == 3, "the failure")
    assert bus.told[2][3] == "Copy link" and "cairn init" in bus.told[2][4], bus.told

    # Changed files are requested again.
    changed = next(path for path, emblem in wanted.items() if emblem == "default"
                   and os.path.isfile(path))
    with open(changed, "ab") as file:
        file.write(b"more")
    loop.until(lambda: shown[changed].invalid, "the change")

    # When the process ends, no request keeps waiting, and the process is started again.
    completed.clear()
    extension.stat.process.kill()
    extension.update_file_info_full(extension, object(), "last", File(folder))
    loop.until(lambda: completed, "the end of the process")
    extension.stat.begun -= 60
    again = File(folder)
    extension.update_file_info_full(extension, object(), "again", again)
    loop.until(lambda: len(completed) == 2, "the second process")
    assert again.emblems, "no answer of the second process"
    # The processes read their input, and end with their file manager.
    for child in (extension.stat, extension.events):
        if child.process:
            child.process.kill()
            child.process.wait()


main(*sys.argv[1:])
