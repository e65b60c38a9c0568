"""Long transfers and problems: progress, pauses, and remedies by a click."""

import os
import re

from .world import World, must


def a_large_mirror(browser):
    """each side sees the amount, the rate and the remaining time of a large transfer"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        world.share()
        world.limit(ana, upload=4_000_000)
        hers, his = world.open(ana), world.open(bob)
        hers.sees("up to date")
        # Incompressible bytes, in large files and small ones: many packs, one after the other.
        ana.cairn("pause")
        made = world.root / "made"
        made.mkdir()
        for number in range(4):
            (made / f"large {number}.bin").write_bytes(os.urandom(12_000_000))
        for number in range(40):
            (made / f"{number}.bin").write_bytes(os.urandom(25_000))
        os.rename(made, ana.folder / "new")
        hers.sees("45 to send")
        hers.click("Resume: all traffic")
        progress = hers.page.locator(".progress")
        told = progress.filter(has_text=re.compile(
            r"\d of \d+ names? sent, [\d.]+ [kM]?B of [\d.]+ MB, [\d.]+ [kM]?B a second, about \d+ seconds? left"))
        told.first.wait_for()
        bar = progress.get_by_role("progressbar", name="How much is sent of Trip")
        must(0 < bar.evaluate("(one) => one.position") < 1, "the bar is somewhere between")
        hers.page.get_by_text(re.compile(r"\bsending: \d+ to send")).first.wait_for()
        hers.axe("a folder at work")
        hers.sees("up to date")
        bar.wait_for(state="detached")
        must(progress.inner_text() == "", "nothing is left of the line")
        his.sees("44 files")
        world.settle()
        must((bob.folder / "new/large 0.bin").stat().st_size == 12_000_000, "Bob has it")

        # A page that is opened in the middle of a download shows its progress, too.
        world.limit(bob, download=4_000_000)
        world.limit(ana)
        ana.write("another.bin", os.urandom(48_000_000))
        ana.cairn("wait")
        his = world.open(bob)
        his.page.locator(".progress").filter(has_text=re.compile(
            r"B of [\d.]+ MB, [\d.]+ [kM]?B a second, about \d+ seconds? left")).first.wait_for()


def many_at_work(browser):
    """the page answers while many folders are being synchronized"""
    with World(browser) as world:
        # The first file goes at once, and the others wait until it is paid for.
        folders = [world.root / f"folder {number}" for number in range(9)]
        for folder in folders:
            folder.mkdir()
            world.ana.cairn("add", str(folder))
        world.ana.cairn("wait")
        world.limit(world.ana, upload=2_000)
        for folder in folders:
            (folder / "file.bin").write_bytes(os.urandom(200_000))
        hers = world.open(world.ana)
        hers.page.locator(".progress progress").nth(7).wait_for()
        hers.section("Storage")
        hers.click("Check this device")
        hers.sees("ok:")
        hers.section("Files")
        hers.sees("file.bin")


def pauses(browser):
    """a click pauses all traffic or one folder's, and another click resumes it"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        world.share()
        hers = world.open(ana)
        hers.click("Pause everything")
        hers.sees("Changes are sent afterwards", hers.dialog)
        hers.choose("Until", "3600", hers.dialog)
        hers.agree("Pause")
        hers.sees("All traffic with the container is paused since")
        hers.sees("paused")
        must("can't be reached" not in hers.text(), "what isn't tried isn't out of reach")
        must("until" in ana.answer("status")["container"]["traffic"]["paused"], "it ends by itself")
        ana.write("waits.txt", "text")
        hers.sees("1 to send")
        hers.axe("a pause")
        hers.click("Resume: all traffic")
        hers.sees("up to date")
        world.settle()
        must((bob.folder / "waits.txt").exists(), "it has gone out since")

        hers.click("Pause Trip")
        hers.agree("Pause")
        hers.click("Resume: Trip")
        hers.sees("up to date")
        must("traffic" not in ana.answer("status")["container"], "nothing is paused any more")
        # A pause by a command is visible, too. Actions that need the container say how to resume.
        ana.cairn("pause")
        hers.sees("All traffic with the container is paused since")
        hers.click("Resume: all traffic")
        hers.misses("All traffic with the container is paused since")


def remedies(browser):
    """problems offer remedies by click: a limit is raised, and lost objects are put back"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        ana.write("plan.txt", "one\n")
        world.share()
        world.settle()
        ana.cairn("quota", str(ana.folder), "--limit", "100k")
        hers = world.open(ana)
        ana.write("large.bin", os.urandom(300_000))
        hers.click("Show storage")
        hers.heading("Storage")
        hers.click("Change the limit of Trip")
        hers.sees("At the limit, changes that need more wait", hers.dialog)
        hers.fill("Megabytes at most; empty for no limit", "1.5", hers.dialog)
        hers.agree("Set")
        hers.sees("1.5 MB")
        must(ana.answer("quota")["zones"][0]["limit"] == 1_500_000, "the limit is the one that was typed")
        hers.section("Folders")
        hers.misses("Show storage")
        world.settle()
        must((bob.folder / "large.bin").exists(), "it has gone out by itself")

        # The newest entry of the log is lost. Ana's device still has it.
        zone = ana.answer("status")["mounts"][0]["zone"]
        for person in world.people:
            world.stop(person)
        log = (world.root / "container").glob(f"users/*/zones/{zone}/log/*")
        max(log, key=lambda path: path.stat().st_mtime_ns).unlink()
        hers = world.open(ana)
        hers.click("See what can be repaired")
        hers.sees("What can be repaired", hers.dialog)
        hers.click("Repair", hers.dialog)
        hers.sees("Done: ", hers.dialog)
        hers.agree("Close")
        hers.misses("See what can be repaired")
        ana.write("plan.txt", "two\n")
        world.settle()
        must((bob.folder / "plan.txt").read_text() == "two\n", "all goes on")


PLAYS = [a_large_mirror, many_at_work, pauses, remedies]
