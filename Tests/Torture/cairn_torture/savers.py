"""Programs that save a file, run as people run them, on a virtual screen if they need one.

Each program saves one file with a new text. Their ways to save differ: in place, by a rename over
the file, by moving the file away, by unlinking it, with a backup that stays or goes.
"""

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .world import Violation

NOT_TRIED = (
    "Krita and Thunderbird; MS Office, KeePass 2, VS Code and Obsidian, which Debian doesn't have "
    "(SaveSequenceTests plays the published sequences of Word, Excel and KeePass 2)"
)
SECRET = "secret\n"


class Desk:
    """A person's file, and the home of their programs outside of the shared folder."""

    def __init__(self, file: Path, home: Path) -> None:
        self.file, self.home = file, home
        home.mkdir(parents=True, exist_ok=True)
        self._environment = {
            "HOME": str(home), "PATH": "/usr/bin:/bin:/usr/games", "LANG": "C.UTF-8",
            "TERM": "xterm", "TZ": "UTC", "USER": "somebody", "XDG_RUNTIME_DIR": str(home),
            "GIT_DIR": str(home / "git"), "GIT_WORK_TREE": str(file.parent),
            "GIT_CONFIG_GLOBAL": "/dev/null", "QT_QPA_PLATFORM": "xcb", "NO_AT_BRIDGE": "1",
            "GSETTINGS_BACKEND": "memory",
        }

    def run(self, *command: str, text: str = "") -> str:
        """Runs a program in the folder of the file, with `text` as its input."""
        done = subprocess.run(
            command, cwd=self.file.parent, env=self._environment, input=text, timeout=120,
            capture_output=True, text=True, check=False,
        )
        if done.returncode != 0:
            raise Violation(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.stdout

    def type(self, keys: bytes, *command: str) -> None:
        """Runs a program on a terminal of its own, and types keys once it has drawn its screen."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.file.parent)
            os.execvpe(command[0], list(command), self._environment)
        deadline, has_drawn = time.monotonic() + 60, False
        try:
            while True:
                ready, _, _ = select.select([terminal], [], [], deadline - time.monotonic())
                if not ready:
                    os.kill(child, signal.SIGKILL)
                    raise Violation(f"{' '.join(command)} doesn't end")
                try:
                    drawn = os.read(terminal, 65536)
                except OSError:  # the program has closed its terminal
                    drawn = b""
                if not drawn:
                    break
                if not has_drawn and b"GNU nano" in drawn:
                    has_drawn = True
                    os.write(terminal, keys)
        finally:
            os.close(terminal)
            _, status = os.waitpid(child, 0)
        if status != 0:
            raise Violation(f"{' '.join(command)}: status {status}")


    def write_on_screen(self, text: str, *command: str) -> None:
        """Opens the file with a program on a screen of its own, replaces its text, and saves it."""
        reader, writer = os.pipe()
        screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        try:
            with open(reader, encoding="ascii") as told:
                self._environment["DISPLAY"] = ":" + told.readline().strip()
            program = subprocess.Popen(
                [*command, str(self.file)], cwd=self.file.parent, env=self._environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            try:
                self._type_and_save(text)
                program.wait(10)
            finally:
                program.kill()
                program.wait()
        except subprocess.TimeoutExpired as late:
            raise Violation(f"{' '.join(command)}: {late}") from late
        finally:
            screen.terminate()
            screen.wait()

    def _type_and_save(self, text: str) -> None:
        name = self.file.name
        windows = self.run("xdotool", "search", "--sync", "--onlyvisible", "--name", name)
        self.run("xdotool", "windowfocus", "--sync", windows.split()[-1])
        # Keys that come before the editor listens are lost.
        for _ in range(10):
            self.run("xdotool", "key", "--clearmodifiers", "ctrl+a")
            self.run("xdotool", "type", "--delay", "10", text)
            self.run("xdotool", "key", "--clearmodifiers", "ctrl+s")
            for _ in range(30):
                if self.file.read_text().strip() == text:
                    self.run("xdotool", "key", "--clearmodifiers", "ctrl+q")
                    return
                time.sleep(0.1)
        raise Violation("the editor on the screen doesn't save")


Save = Callable[[Desk, str], None]


@dataclass
class Saver:
    """A program, one of its ways to save, and what it needs."""

    file: str
    programs: tuple[str, ...]
    save: Save


ALL: dict[str, Saver] = {}


def saver(name: str, *programs: str, file: str = "notes.txt") -> Callable[[Save], Save]:
    """Registers a way to save."""

    def register(save: Save) -> Save:
        ALL[name] = Saver(file, programs, save)
        return save

    return register


def missing(name: str) -> list[str]:
    """The programs that a way to save needs and that aren't installed."""
    return [each for each in ALL[name].programs if shutil.which(each) is None]


# --- editors of text


def vim(desk: Desk, text: str, settings: str) -> None:
    desk.run(
        "vim", "-Nu", "NONE", "-es", "-c", f"set swapfile {settings}", "-c", f"%s/.*/{text}/",
        "-c", "wq!", str(desk.file),
    )


for way, settings in {
    "vim-yes": "backupcopy=yes", "vim-no": "backupcopy=no", "vim-auto": "backupcopy=auto",
    "vim-backup": "backup backupcopy=no", "vim-patchmode": "patchmode=.orig backupcopy=no",
}.items():
    saver(way, "vim")(lambda desk, text, settings=settings: vim(desk, text, settings))


def emacs(desk: Desk, text: str, settings: str) -> None:
    desk.run(
        "emacs", "-Q", "--batch", str(desk.file), "--eval",
        f'(progn (setq {settings}) (erase-buffer) (insert "{text}") (save-buffer))',
    )


for way, settings in {
    "emacs": "make-backup-files t", "emacs-copying": "backup-by-copying t",
    "emacs-precious": "file-precious-flag t", "emacs-numbered": "version-control t",
}.items():
    saver(way, "emacs")(lambda desk, text, settings=settings: emacs(desk, text, settings))


def nano(desk: Desk, text: str, *options: str) -> None:
    # Cut all lines, type the text, write it, leave.
    desk.type(b"\x0b" + text.encode() + b"\x0f\r\x18", "nano", "-I", *options, str(desk.file))


saver("nano", "nano")(nano)
saver("nano-backup", "nano")(lambda desk, text: nano(desk, text, "-B"))


@saver("gio", "gio")
def gio(desk: Desk, text: str) -> None:
    """GLib's way to replace a file, which many programs use."""
    desk.run("gio", "save", str(desk.file), text=text)


@saver("gio-backup", "gio")
def gio_backup(desk: Desk, text: str) -> None:
    desk.run("gio", "save", "--backup", str(desk.file), text=text)


def on_screen(desk: Desk, text: str, program: str) -> None:
    if not desk.file.exists():
        desk.file.write_text("begun\n")
    desk.write_on_screen(text, program)


@saver("gedit", "gedit", "Xvfb", "xdotool")
def gedit(desk: Desk, text: str) -> None:
    on_screen(desk, text, "gedit")


@saver("kwrite", "kwrite", "Xvfb", "xdotool")
def kwrite(desk: Desk, text: str) -> None:
    """KWrite, which edits and saves with the same component as Kate."""
    on_screen(desk, text, "kwrite")


# --- programs that replace files


@saver("sed", "sed")
def sed(desk: Desk, text: str) -> None:
    stream(desk, text, "-i")


@saver("sed-backup", "sed")
def sed_backup(desk: Desk, text: str) -> None:
    stream(desk, text, "-i.bak")


def stream(desk: Desk, text: str, option: str) -> None:
    if not desk.file.exists():
        desk.file.write_text("begun\n")
    desk.run("sed", option, f"s/.*/{text}/", str(desk.file))


def rsync(desk: Desk, text: str, *options: str) -> None:
    source = desk.home / "source"
    source.mkdir(exist_ok=True)
    (source / desk.file.name).write_text(text)
    desk.run("rsync", "-rt", "--checksum", *options, f"{source}/", f"{desk.file.parent}/")


for way, options in {
    "rsync": (), "rsync-inplace": ("--inplace",), "rsync-backup": ("--backup",),
    "rsync-suffix": ("--backup", "--suffix=.old"), "rsync-delayed": ("--delay-updates",),
}.items():
    saver(way, "rsync")(lambda desk, text, options=options: rsync(desk, text, *options))


@saver("git", "git")
def git(desk: Desk, text: str) -> None:
    """A file that git checks out in another version."""
    if not (desk.home / "git").exists():
        desk.run("git", "init", "-q")
    blob = desk.run("git", "hash-object", "-w", "--stdin", text=text).strip()
    desk.run("git", "update-index", "--add", "--cacheinfo", f"100644,{blob},{desk.file.name}")
    desk.run("git", "checkout", "-f", "--", desk.file.name)


# --- documents and databases


@saver("keepassxc", "keepassxc-cli", file="keys.kdbx")
def keepassxc(desk: Desk, text: str) -> None:
    database = str(desk.file)
    if not desk.file.exists():
        desk.run("keepassxc-cli", "db-create", "-q", "-p", "-t", "100", database, text=SECRET * 2)
    desk.run("keepassxc-cli", "add", "-q", "-u", "ana", database, text, text=SECRET)


_WRITER = """
import sys, time, uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
pipe, url, text, is_new = sys.argv[1:]
local = uno.getComponentContext()
find = "com.sun.star.bridge.UnoUrlResolver"
resolver = local.ServiceManager.createInstanceWithContext(find, local)
while True:
    try:
        context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        break
    except NoConnectException:
        time.sleep(0.1)
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
hidden = PropertyValue(Name="Hidden", Value=True)
source = "private:factory/swriter" if is_new == "yes" else url
document = desktop.loadComponentFromURL(source, "_blank", 0, (hidden,))
document.Text.String = text
document.storeAsURL(url, ()) if is_new == "yes" else document.store()
document.close(True)
try:
    desktop.terminate()
except Exception:
    pass
"""


@saver("libreoffice", "soffice", "python3", file="report.odt")
def libreoffice(desk: Desk, text: str) -> None:
    """A document that LibreOffice Writer opens, changes and saves."""
    pipe = f"cairn-{os.getpid()}"
    office = subprocess.Popen(
        ["soffice", "--headless", "--norestore", f"--accept=pipe,name={pipe};urp;",
         f"-env:UserInstallation=file://{desk.home}/office"],
        cwd=desk.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        is_new = "no" if desk.file.exists() else "yes"
        desk.run("/usr/bin/python3", "-c", _WRITER, pipe, desk.file.as_uri(), text, is_new)
    finally:
        try:
            office.wait(60)
        except subprocess.TimeoutExpired:
            office.terminate()
            office.wait()


@saver("gimp", "gimp", file="picture.xcf")
def gimp(desk: Desk, text: str) -> None:
    name, size = str(desk.file), 16 + len(text)
    desk.run(
        "gimp", "-i", "-d", "-f", "-s", "-b",
        f"(let* ((image (car (gimp-image-new {size} {size + sum(text.encode()) % 97} RGB)))"
        f" (layer (car (gimp-layer-new image {size} {size} RGB-IMAGE \"{text}\" 100 0))))"
        f" (gimp-image-insert-layer image layer 0 0)"
        f" (gimp-xcf-save 0 image layer \"{name}\" \"{name}\"))",
        "-b", "(gimp-quit 0)",
    )


@saver("blender", "blender", file="scene.blend")
def blender(desk: Desk, text: str) -> None:
    """A scene of Blender, which keeps the one before as scene.blend1."""
    opened = [str(desk.file)] if desk.file.exists() else []
    desk.run(
        "blender", "-b", *opened, "--python-expr",
        f"import bpy; bpy.context.scene.name = {text!r}; "
        f"bpy.ops.wm.save_as_mainfile(filepath={str(desk.file)!r})",
    )
