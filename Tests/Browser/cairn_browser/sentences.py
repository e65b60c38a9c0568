"""Five everyday things, each begun by a sentence, by a person who has never seen the page."""

import os
import subprocess

from .own import home
from .world import BINARIES, World, must

COUNTER = """() => {
  window.clicks = 0;
  const isList = ({ tagName }) => tagName === "SELECT" || tagName === "OPTION";
  // What a click on a label or the Enter key causes is no click of its own.
  addEventListener("click", (event) => {
    if (event.isTrusted && event.detail > 0 && !isList(event.target)) window.clicks += 1;
  }, true);
  // A choice from a list is two clicks.
  addEventListener("change", (event) => { if (isList(event.target)) window.clicks += 2; }, true);
}"""


def laptop(world):
    """Adds a second device of Ana's, and returns its environment."""
    other = {**world.ana.environment, "CAIRN_HOME": str(world.root / "laptop"),
             "HOME": str(world.root / "laptop.home")}
    os.mkdir(other["HOME"])
    code = world.ana.answer("device", "link")["code"]
    joined = subprocess.run(
        [BINARIES / "cairn", "device", "join", code, "--device-name", "laptop"], env=other,
        capture_output=True, check=False)
    must(joined.returncode == 0, f"the laptop joins: {joined.stderr!r}")
    return other


def five_sentences(browser):
    """five sentences, such as `your laptop was stolen`, are done by at most seven clicks each"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        ana.folder = home(ana) / "Plans"
        ana.write("plan.txt", "one\n")
        ana.write("map.bin", os.urandom(300_000))
        other = laptop(world)
        try:
            page = world.open(ana)
            page.page.evaluate(COUNTER)

            def clicked(most, sentence):
                number = page.page.evaluate("window.clicks")
                page.page.evaluate("window.clicks = 0")
                must(0 < number <= most, f"{sentence} takes {number} clicks")
                page.picture(sentence)

            # Share this folder with Bob so that he can't change it.
            page.click("Share a folder")
            page.dialog.get_by_role("button", name="Plans", exact=True).click()
            page.click("Choose", page.dialog)
            page.fill("Invite (handles)", "bob", page.dialog)
            page.choose("Access", "read-only", page.dialog)
            page.page.get_by_role("button", name="Share", exact=True).click()
            page.sees("Bob (bob): can view", page.dialog)
            page.agree("Close")
            page.sees("invited")
            clicked(7, "share")
            invitation = bob.answer("share", "invitations")["invitations"][0]["id"]
            bob.cairn("share", "accept", invitation, "--at", str(bob.folder), "--wait")
            must(os.stat(bob.folder / "plan.txt").st_mode & 0o222 == 0, "Bob can only view")

            # Get last week's version of this file back.
            ana.write("plan.txt", "two\n")
            world.settle()
            page.section("Files")
            page.click("plan.txt")
            page.dialog.get_by_role("row").last.get_by_role("button", name="Restore version").click()
            page.dialog.get_by_role("button", name="Restore", exact=True).click()
            page.sees("plan.txt is restored.")
            world.settle()
            must((ana.folder / "plan.txt").read_text() == "one\n", "the first version is back")
            clicked(4, "version")

            # Find out who deleted this, and take it back.
            ana.cairn("share", "set-permission", str(ana.folder), "bob", "read-write")
            world.settle()
            (bob.folder / "plan.txt").unlink()
            page.misses("plan.txt")
            page.click("Deleted")
            row = page.page.get_by_role("row", name="plan.txt")
            row.get_by_text("Bob (bob)").wait_for()
            row.get_by_role("button", name="Restore").click()
            page.agree("Restore")
            page.sees("plan.txt is restored.")
            world.settle()
            must((ana.folder / "plan.txt").read_text() == "one\n", "the file is back")
            clicked(3, "deleted")

            # Make room.
            ana.write("map.bin", os.urandom(200_000))
            world.settle()
            page.section("Storage")
            page.sees("press Policy")
            page.click("History policy of Plans")
            page.fill("Number per file", "0", page.dialog)
            page.sees("This frees 300 kB. The versions are kept until ", page.dialog)
            page.picture("policy")
            page.click("Change", page.dialog)
            page.sees("Nothing is deleted before ", page.dialog)
            page.agree("Close")
            page.sees("300 kB of Plans are no longer kept")
            clicked(4, "room")

            # Your laptop was stolen.
            page.section("Devices")
            page.sees("lost or stolen")
            page.click("Revoke laptop")
            page.sees("It keeps what it has already received.", page.dialog)
            page.picture("revoke")
            page.dialog.get_by_role("button", name="Revoke", exact=True).click()
            page.sees("1 folder got new keys.", page.dialog)
            page.agree("Close")
            page.page.get_by_role("row", name="laptop").get_by_text("revoked").wait_for()
            clicked(4, "stolen")
        finally:
            subprocess.run([BINARIES / "cairn", "stop"], env=other, capture_output=True, check=False)


PLAYS = [five_sentences]
