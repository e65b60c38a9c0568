"""Ana and Bob, with homes of their own, one container, and a page of the console each."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

SECONDS = 20 * float(os.environ.get("SLACK", "1"))
BINARIES = Path(os.environ.get("BINARIES", ".build/release"))


class Failure(Exception):
    """An expectation that isn't met."""


def must(holds, sentence):
    """Raises a failure with this sentence unless the condition holds."""
    if not holds:
        raise Failure(sentence)


def png(width, height):
    """Returns a picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\x20\x80\x60" * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Person:
    """A person with a home and a folder."""

    def __init__(self, root, handle, name):
        self.handle, self.name = handle, name
        self.home, self.folder = root / handle, root / handle.capitalize()
        scratch = root / (handle + ".home")
        scratch.mkdir()
        self.environment = {
            "CAIRN_HOME": str(self.home), "HOME": str(scratch), "PATH": "/usr/bin:/bin", "TZ": "UTC",
        }
        self.cairn("init", "--name", name, "--handle", handle, "--container", str(root / "container"))

    def cairn(self, *arguments):
        """Runs a command, which must succeed."""
        done = subprocess.run(
            [BINARIES / "cairn", *arguments], env=self.environment, capture_output=True, check=False)
        must(done.returncode == 0, f"cairn {arguments}: {done.stdout!r} {done.stderr!r}")
        return done.stdout.decode(errors="replace")

    def answer(self, *arguments):
        """Returns the JSON answer of a command."""
        return json.loads(self.cairn(*arguments, "--json"))

    def write(self, name, content):
        """Writes a file outside of the folder, and moves it in, so that nothing else is ever synced."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(self.environment["HOME"]) / ".beside"
        beside.write_bytes(content if isinstance(content, bytes) else content.encode())
        beside.rename(path)

    def address(self, *shown):
        """Returns an address of the console, with its secret, that opens at the named section or
        file."""
        options = ["--show", *map(str, shown)] if shown else []
        return json.loads(self.cairn("console", "--json", *options))["url"]

    def stop(self):
        """Stops the daemon in any state."""
        subprocess.run([BINARIES / "cairn", "stop"], env=self.environment, capture_output=True, check=False)


class Page:
    """A page of the console, with the clicks on it, and a check for errors behind it."""

    def __init__(self, browser, person, **options):
        self.person = person
        self.faults = []
        shown, heading = options.pop("shown", ()), options.pop("heading", "Folders")
        self.context = browser.new_context(
            viewport=options.pop("viewport", {"width": 1200, "height": 900}), **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(SECONDS * 1000)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.faults.append("dialog: " + dialog.message), dialog.dismiss()))
        self.page.on("console", self._said)
        self.page.on("request", self._asked)
        self.address = person.address(*shown)
        self.origin = self.address.split("/#")[0]
        self.page.goto(self.address)
        self.heading(heading)

    def _said(self, message):
        if message.type == "error" and "status of 4" not in message.text:
            self.faults.append("console: " + message.text)

    def _asked(self, request):
        if not request.url.startswith((self.origin + "/", "blob:" + self.origin + "/")):
            self.faults.append("asked elsewhere: " + request.url)

    def check(self):
        """Fails if an error occurred behind the visible page."""
        must(not self.faults, f"{self.person.handle}: {self.faults}")

    # The actions of a person.

    def heading(self, title):
        """Waits for the section of that title."""
        self.page.get_by_role("heading", name=title, exact=True, level=1).wait_for()

    def section(self, title):
        """Opens a section, on a phone by its menu."""
        menu = self.page.get_by_role("button", name="Menu", exact=True)
        if menu.is_visible():
            menu.click()
        self.page.get_by_role("link", name=title, exact=True).click()
        self.heading(title)

    def click(self, name, within=None):
        """Clicks a button, found by the beginning of its accessible name."""
        (within or self.page).get_by_role("button", name=name).first.click()

    def fill(self, label, text, within=None):
        """Fills a field, found by its label."""
        (within or self.page).get_by_label(label, exact=True).first.fill(text)

    def choose(self, label, value, within=None):
        """Selects a value in a list, found by its label."""
        (within or self.page).get_by_role("combobox", name=label, exact=True).first.select_option(value)

    def sees(self, text, within=None):
        """Waits until that text is visible."""
        (within or self.page.locator("body")).get_by_text(text).first.wait_for()

    def misses(self, text, within=None):
        """Waits until that text is no longer visible."""
        (within or self.page.locator("main")).get_by_text(text).first.wait_for(state="detached")

    @property
    def dialog(self):
        """The topmost dialog."""
        return self.page.locator("dialog[open]").last

    def agree(self, label):
        """Answers a dialog, and waits until it has closed."""
        dialog = self.dialog
        dialog.get_by_role("button", name=label, exact=True).click()
        self.page.locator("dialog[open]").wait_for(state="detached")

    def share(self, path, title, people=""):
        """Shares a folder by its typed path, and stays at its people."""
        self.click("Share a folder")
        self.fill("Folder", str(path), self.dialog)
        self.click("Choose", self.dialog)
        self.fill("Title", title, self.dialog)
        self.fill("Invite (handles)", people, self.dialog)
        self.page.get_by_role("button", name="Share", exact=True).click()

    def ended(self, request, act):
        """Acts, and waits until the page has read the answer to a request. Chromium reports an answer that
        a page reads as a stream sometimes as finished, and sometimes as aborted."""
        over = []
        for kind in ("requestfinished", "requestfailed"):
            self.page.on(kind, lambda one: over.append(one))
        act()
        limit = time.monotonic() + SECONDS
        while request not in over:
            must(time.monotonic() < limit, f"{request.url} has no answer")
            self.page.wait_for_timeout(10)

    def picture(self, name):
        """Writes a picture of the page if PICTURE says where pictures go."""
        if "PICTURE" in os.environ:
            self.page.screenshot(path=f"{os.environ['PICTURE']}-{name}.png")

    def filled(self):
        """Waits until a section shows content."""
        self.page.locator("main").locator("h2, table").first.wait_for()

    def text(self):
        """Returns all visible text."""
        return self.page.locator("body").inner_text()

    def axe(self, what):
        """Checks with axe that people who can't see the page, or have no mouse, meet no barrier."""
        found = Axe().run(self.page, options={
            "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
        told = [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
                for one in found.response["violations"]]
        must(not told, f"axe on {what}: {told}")
        must(len(found.response["passes"]) > 10, f"axe has looked at nothing on {what}")


class World:
    """A container with two people, in a folder of its own, which is removed at the end."""

    def __init__(self, browser, ana="Ana Äpfel", bob="Bob"):
        self.browser = browser
        self.root = Path(tempfile.mkdtemp(prefix="cairn-"))
        self.pages = []
        self.people = []
        try:
            for handle, name in (("ana", ana), ("bob", bob)):
                self.people.append(Person(self.root, handle, name))
        except BaseException:
            self.end()
            raise
        self.ana, self.bob = self.people

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                for page in self.pages:
                    page.check()
            elif "PICTURE" in os.environ:
                for page in self.pages:
                    page.page.screenshot(path=f"{os.environ['PICTURE']}-{page.person.handle}.png", full_page=True)
        finally:
            self.end()

    def end(self):
        """Ends everything."""
        for page in self.pages:
            page.context.close()
        for person in self.people:
            person.stop()
        shutil.rmtree(self.root)

    def open(self, person, **options):
        """Opens a page for a person."""
        self.pages.append(Page(self.browser, person, **options))
        return self.pages[-1]

    def share(self):
        """Lets Ana share her folder and Bob accept it, by commands, for cases that aren't about
        sharing."""
        self.ana.folder.mkdir(exist_ok=True)
        self.ana.cairn("share", "create", str(self.ana.folder), "--title", "Trip")
        link = self.ana.cairn("share", "invite", str(self.ana.folder), "bob").strip().split("\n")[-1]
        self.bob.cairn("share", "accept", link, "--at", str(self.bob.folder), "--wait")

    def settle(self):
        """Returns when everything has arrived everywhere."""
        for person in self.people * 2:
            person.cairn("wait", "--timeout", str(SECONDS))

    def stop(self, person):
        """Stops a person's daemon, and closes their pages."""
        for page in [page for page in self.pages if page.person is person]:
            page.check()
            page.context.close()
            self.pages.remove(page)
        person.cairn("stop")

    def limit(self, person, **limits):
        """Restarts a person's daemon with these traffic limits."""
        self.stop(person)
        path = person.home / "cairn.conf"
        kept = path.read_text().split("\n[network]")[0]
        lines = "".join(f"{way}-limit = {number}\n" for way, number in limits.items())
        path.write_text(kept + ("\n[network]\n" + lines if lines else ""))
        person.cairn("start")

    def conflict(self, name, first, second):
        """Lets both change a file without each other's change. Returns when both have both
        versions."""
        self.stop(self.bob)
        self.ana.write(name, first)
        self.ana.cairn("wait", "--timeout", str(SECONDS))
        self.bob.write(name, second)
        self.settle()
