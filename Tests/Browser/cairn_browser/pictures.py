"""The pictures of the README, and one of each view for people who look at them."""

import os
from pathlib import Path

from .access import SECTIONS
from .world import World

WIDTHS = (1280, 768, 390)
# The views of files, each with its heading.
TABS = {"Conflicts": "1 file has two versions", "Pending deletions": "Pending deletions",
        "Deleted": "Deleted files", "Recovered": "Recovered files"}


def draw(browser, folder):
    """Writes the pictures of the README."""
    with World(browser, bob="Bob Baum") as world:
        for number in range(40):
            world.ana.write(f"photos/{number:02}.jpg", bytes(100_000))
        world.ana.write("plan.txt", "Friday: the train at 8:12\nSaturday: the lake\nSunday: home\n")
        world.ana.write("packing list.txt", "tent\nstove\nmap\n")
        world.share()
        world.conflict(
            "plan.txt", "Friday: the train at 8:12\nSaturday: the summit\nSunday: home\n",
            "Friday: the train at 9:12\nSaturday: the lake\nSunday: home, late\n")
        hers = world.open(world.ana, viewport={"width": 1000, "height": 640})
        hers.section("People")
        hers.sees("accepted")
        hers.page.screenshot(path=f"{folder}/console-people.png", full_page=False)
        hers.section("Files")
        hers.click("Conflicts")
        hers.click("Compare: plan.txt")
        hers.sees("late")
        hers.page.screenshot(path=f"{folder}/console-conflict.png", full_page=False)


def furnish(world):
    """Gives Ana something of everything that the page can show."""
    ana, bob = world.ana, world.bob
    for number in range(40):
        ana.write(f"photos/{number:02}.jpg", os.urandom(3_000))
    for name in ("plan.txt", "packing list.txt", "old plan.txt"):
        ana.write(name, "one\n")
    world.share()
    world.settle()
    (bob.folder / "old plan.txt").unlink()
    (ana.folder / "photos/39.jpg").unlink()
    world.conflict("packing list.txt", "tent\nstove\nmap\n", "tent\nlamp\nmap\nrope\n")
    copy = ana.answer("conflicts")["conflicts"][0]["copy"]["path"]
    ana.cairn("conflicts", "keep", "theirs", copy)
    world.settle()
    world.conflict("plan.txt", "Friday: the train at 8:12\nSaturday: the summit\n",
                   "Friday: the train at 9:12\nSaturday: the lake\n")
    ana.cairn("share", "invite", str(ana.folder), "--link", "--expires", "7d")
    ana.cairn("share", "set-requests", str(ana.folder), "on")
    ana.cairn("group", "create", "team", "bob")
    # A folder of her own, from which very much was deleted at once.
    work = world.root / "Work"
    work.mkdir()
    for number in range(200):
        (work / f"{number:03}.txt").write_text(str(number))
    ana.cairn("add", str(work))
    ana.cairn("wait")
    for number in range(150):
        (work / f"{number:03}.txt").unlink()
    # Bob invites her, too.
    other = world.root / "Music"
    other.mkdir()
    (other / "song.ogg").write_bytes(os.urandom(100_000))
    bob.cairn("share", "create", str(other), "--title", "Music")
    bob.cairn("share", "invite", str(other), "ana")


def views(browser, folder):
    """Writes a picture of each view in three widths and two schemes."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with World(browser, bob="Bob Baum") as world:
        furnish(world)
        for scheme, width in ((scheme, width) for width in WIDTHS for scheme in ("light", "dark")):
            page = world.open(world.ana, color_scheme=scheme, viewport={"width": width, "height": 800})
            page.sees("deleted here at once")
            page.sees("Invitations for you")

            def take(name, whole=True):
                page.page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=whole)

            def visit(section):
                page.section(section)
                if section in LAST:
                    page.sees(LAST[section])
                page.filled()
                if section == "Files":
                    page.choose("Folder", "Trip")
                    page.sees("photos")

            for section in SECTIONS:
                visit(section)
                take(section.lower())
            visit("Files")
            for tab, heading in TABS.items():
                page.click(tab)
                page.page.get_by_role("heading", name=heading, level=2).wait_for()
                take("files-" + tab.lower().replace(" ", "-"))
            page.click("Conflicts")
            for name, text in (("Compare", "- Saturday"), ("Merge", "Save merged text")):
                page.click(name + ": plan.txt")
                page.sees(text)
                take(name.lower())
            for section, buttons in DIALOGS.items():
                visit(section)
                for name, button in buttons.items():
                    # On a phone it is in a closed menu.
                    page.page.get_by_role("button", name=button, include_hidden=True).first.evaluate(
                        "(one) => one.click()")
                    page.dialog.wait_for()
                    take(name, False)
                    page.page.keyboard.press("Escape")


# The part of a section that is shown last.
LAST = {"People": "People (handles)", "Activity": "What this device did"}
# The button that opens each dialog, by the section that it is in.
DIALOGS = {
    "Folders": {"picker": "Share a folder", "pause": "Pause everything", "stop": "Stop syncing Trip",
                "accept": "Show the invitation to Music"},
    "People": {"permissions": "Permissions in Trip", "remove": "Remove Bob Baum (bob)",
               "access": "Access of Bob Baum (bob)", "verify": "Verify Bob Baum (bob)",
               "members": "Members of team", "leave": "Stop sharing Trip"},
    "Activity": {"revert": "Revert to before version", "past": "History policy"},
    "Files": {"file": "packing list.txt", "select": "Select files"},
    "Devices": {"device": "Add a device", "rename": "Rename "},
    "Storage": {"policy": "History policy of Trip", "limit": "Change the limit of Trip", "free": "Free space now",
                "repair": "See what can be repaired"},
}
