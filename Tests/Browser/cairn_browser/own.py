"""A person's own things: folders to choose, devices, storage, settings, uploads, and the part of a
folder that a device has."""

import os
import subprocess
from pathlib import Path

from .world import BINARIES, World, must


def home(person):
    """Returns a person's home folder."""
    return Path(person.environment["HOME"])


def picker(browser):
    """a folder is chosen from the directories of the home, by clicks and by typing"""
    with World(browser) as world:
        for name in ("Documents/Invoices", "Documents/Letters", "Music", ".secret", "<b>bold", "a\nb"):
            (home(world.ana) / name).mkdir(parents=True)
        (home(world.ana) / "link").symlink_to("/etc")
        (home(world.ana) / "Documents/Letters/one.txt").write_text("one")
        page = world.open(world.ana)
        page.sees("No folder is synced yet.")
        page.click("Share a folder")
        folders = page.dialog.get_by_role("list", name="Folders", exact=True)

        def listed():
            return [one.inner_text() for one in folders.get_by_role("button").all()]

        # Neither hidden folders nor links are shown.
        folders.get_by_role("button", name="Music").wait_for()
        must(listed() == ["<b>bold", "Documents", "Music", "a\\nb"], f"names are text: {listed()}")
        page.click("Show 1 hidden folder", page.dialog)
        must(".secret" in listed(), "hidden folders are shown by a click")
        page.dialog.get_by_role("button", name="Documents", exact=True).click()
        page.sees("Letters", folders)
        must(page.dialog.get_by_label("Folder", exact=True).input_value() == str(home(world.ana) / "Documents"),
             "a click chooses a folder")
        # The beginning of a name is completed by Enter.
        page.page.keyboard.type("/let")
        folders.get_by_role("button", name="Invoices").wait_for(state="detached")
        page.page.keyboard.press("Enter")
        page.sees("There is no folder in it.", page.dialog)
        # Nothing outside of the home is listed, but any path can be typed.
        page.fill("Folder", "/etc/", page.dialog)
        page.sees("Type the path of the folder.", page.dialog)
        page.fill("Folder", "~/Documents/", page.dialog)
        page.sees("Letters", folders)
        page.axe("the picker")
        page.fill("Folder", "~/Documents/Letters", page.dialog)
        page.click("Choose", page.dialog)
        page.sees("1 file, 0 folders", page.dialog)
        page.fill("Invite (handles)", "nobody", page.dialog)
        page.choose("Access", "read-only", page.dialog)
        page.page.get_by_role("button", name="Share", exact=True).click()
        page.dialog.get_by_role("alert").wait_for()
        page.fill("Invite (handles)", "bob", page.dialog)
        page.page.get_by_role("button", name="Share", exact=True).click()
        page.sees("Bob (bob): can view", page.dialog)
        page.agree("Close")
        page.heading("People")
        share = world.ana.answer("share", "list")["shares"]
        must([one["title"] for one in share] == ["Letters"], "it is shared once, under its name")


def devices(browser):
    """a device joins by a code and is renamed; the page tells the effects before it revokes it"""
    with World(browser) as world:
        world.share()
        page = world.open(world.ana)
        page.section("Devices")
        page.click("Add a device")
        page.click("Make a code", page.dialog)
        page.dialog.get_by_role("img", name="The code as a QR code").wait_for()
        secret = page.dialog.get_by_label("The code", exact=True).input_value()
        page.agree("Close")
        other = {**world.ana.environment, "CAIRN_HOME": str(world.root / "other"),
                 "HOME": str(world.root / "other.home")}
        Path(other["HOME"]).mkdir()
        joined = subprocess.run(
            [BINARIES / "cairn", "device", "join", secret, "--device-name", "laptop <b>"], env=other,
            capture_output=True, check=False)
        try:
            must(joined.returncode == 0, f"it joins: {joined.stderr!r}")
            page.section("Folders")
            page.section("Devices")
            page.click("Rename laptop <b>")
            page.fill("Name", "old laptop", page.dialog)
            page.click("Rename", page.dialog)
            page.sees("Renamed.")
            page.axe("devices")
            page.click("Revoke old laptop")
            page.sees("It keeps what it has already received.", page.dialog)
            page.dialog.get_by_role("button", name="Revoke", exact=True).click()
            page.sees("got new keys.", page.dialog)
            page.agree("Close")
            page.page.get_by_role("row", name="old laptop").get_by_text("revoked").wait_for()
            states = {one["name"]: one["isActive"] for one in world.ana.answer("device", "list")["devices"]}
            must(states["old laptop"] is False, f"it is revoked: {states}")
        finally:
            subprocess.run([BINARIES / "cairn", "stop"], env=other, capture_output=True, check=False)


def storage(browser):
    """storage tells what uses space, what a policy would free, and checks everything"""
    with World(browser) as world:
        world.ana.write("plan.bin", os.urandom(300_000))
        world.share()
        world.ana.write("plan.bin", os.urandom(200_000))
        world.settle()
        page = world.open(world.ana)
        page.section("Storage")
        row = page.page.get_by_role("row", name="Trip")
        must(row.inner_text().split("\t")[1:4] == ["200 kB", "300 kB", "0 B"], f"sizes: {row.inner_text()}")
        page.click("History policy of Trip")
        page.fill("Number per file", "0", page.dialog)
        page.sees("This frees 300 kB. The versions are kept until ", page.dialog)
        page.axe("a policy")
        must(world.ana.answer("history", "policy", str(world.ana.folder))["policy"]["forever"],
             "looking changes nothing")
        page.agree("Close")
        page.click("Free space now")
        page.sees("Nothing can be deleted now", page.dialog)
        page.agree("Close")
        for button, text in (("Check this device", "ok:"), ("Check everything stored", "everything is ok.")):
            page.click(button)
            page.sees(text)


def settings(browser):
    """limits and notifications take effect at once, and stay in the configuration with its comments"""
    with World(browser) as world:
        path = world.ana.home / "cairn.conf"
        path.write_text(path.read_text() + "\n# mine\n[network]\nupload-limit = \"1M\" # slow\n")
        world.ana.cairn("stop")
        page = world.open(world.ana)
        page.section("Settings")
        must(page.page.get_by_label("Upload").input_value() == "1", "the limit in effect is shown")
        page.fill("Upload", "")
        page.fill("Download", "2.5")
        page.click("Set limits")
        page.sees("Upload: no limit. Download: 2.5 MB/s.")
        page.page.get_by_role("checkbox", name="Show notifications on the desktop").click()
        page.sees("Notifications are off.")
        page.axe("settings")
        limits = world.ana.answer("status")["container"]["traffic"]["limits"]
        must(limits == {"active": True, "download": 2_500_000, "times": []}, f"the limits in effect: {limits}")
        text = path.read_text()
        must("# mine" in text and "upload-limit" not in text and "download-limit = 2500000" in text
             and "notices = false" in text, text)
        page.fill("Hours", "25:00-26:00")
        page.click("Set limits")
        page.sees("Write hours as in 08:00-18:00.")
        page.fill("Hours", "00:00-12:00, 12:00-24:00")
        page.page.get_by_role("checkbox", name="On metered connections").click()
        page.click("Set limits")
        page.sees("Times: 00:00-12:00, 12:00-24:00, on metered connections.")
        must('limit-when = ["00:00-12:00", "12:00-24:00", "metered"]' in path.read_text(), path.read_text())
        page.fill("Download", "0.0001")
        page.click("Set limits")
        must(page.page.evaluate("document.querySelector('form :invalid') !== null"), "too slow a limit is refused")


def uploads(browser):
    """files are uploaded, in pieces and under free names, sorted, and left out on this device"""
    with World(browser) as world:
        world.ana.write("plan.txt", "one")
        world.ana.write("sub/deep.txt", "deep")
        world.share()
        page = world.open(world.ana)
        page.section("Files")
        large = os.urandom(1_000_000)
        page.page.get_by_label("Files to upload").set_input_files([
            {"name": "plan.txt", "mimeType": "text/plain", "buffer": b"two"},
            {"name": "large.bin", "mimeType": "application/octet-stream", "buffer": large},
            {"name": "empty", "mimeType": "text/plain", "buffer": b""}])
        page.sees("3 files are uploaded.")
        for name, content in (("plan.txt", b"one"), ("plan 2.txt", b"two"), ("large.bin", large), ("empty", b"")):
            must((world.ana.folder / name).read_bytes() == content, f"{name} is there")
        world.settle()
        must((world.bob.folder / "large.bin").read_bytes() == large, "Bob has it")

        def names():
            return [row.get_by_role("button").first.inner_text()
                    for row in page.page.locator("main tbody").get_by_role("row").all()]

        page.sees("large.bin")
        page.choose("Sort by", "size")
        must(names()[:2] == ["sub/", "large.bin"], f"by size: {names()}")
        page.choose("Sort by", "name")
        must(names()[:2] == ["sub/", "empty"], f"by name: {names()}")

        # A file dropped on the list goes into the shown folder.
        page.click("sub/")
        page.sees("deep.txt")
        page.page.evaluate("""() => {
          const data = new DataTransfer();
          data.items.add(new File(["dropped"], "drop.txt"));
          document.querySelector(".drop").dispatchEvent(new DragEvent("drop",
            { bubbles: true, cancelable: true, dataTransfer: data }));
        }""")
        page.sees("drop.txt is uploaded.")
        must((world.ana.folder / "sub/drop.txt").read_text() == "dropped", "it is in the folder")
        world.settle()

        # A part of the folder is left out on this device only.
        page.click("Select files")
        page.sees("2 files", page.dialog)
        page.click("Contents of sub", page.dialog)
        page.sees("deep.txt", page.dialog)
        page.axe("a selection")
        page.dialog.get_by_role("checkbox", name="sub").first.click()
        page.sees("frees 11 B", page.dialog)
        page.agree("Apply")
        page.sees("The selection is changed.")
        world.settle()
        must(not (world.ana.folder / "sub").exists(), "it is gone here")
        must((world.bob.folder / "sub/deep.txt").exists(), "and nowhere else")


PLAYS = [picker, devices, storage, settings, uploads]
