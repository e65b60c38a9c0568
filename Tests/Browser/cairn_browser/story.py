"""Two people work together by clicking alone. Only files are written in another way."""

import math
import time
from datetime import datetime
from zoneinfo import ZoneInfo

from .world import World, must, png


def two_people(browser):
    """two people share, edit, settle a conflict, go back, and part, all by clicking"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        ana.write("plan.txt", "Monday\nTuesday\n")
        ana.write("notes/list.txt", "bread\n")
        hers, his = world.open(ana), world.open(bob)

        # Ana shares her folder and invites Bob, who isn't verified.
        hers.sees("No folder is synced yet.")
        hers.share(ana.folder, "Trip", "bob")
        hers.sees("Bob (bob): can edit", hers.dialog)
        hers.agree("Close")

        # The invitation arrives at Bob's page by itself. He looks at it, and accepts it.
        his.section("People")
        his.click("Show the invitation to Trip")
        his.sees("2 files, 1 folder", his.dialog)
        his.fill("Another folder (new or empty)", str(bob.folder), his.dialog)
        his.agree("Accept")
        his.heading("Folders")
        his.sees("2 files, 1 folder")
        his.sees("up to date")
        must((bob.folder / "plan.txt").read_text() == "Monday\nTuesday\n", "Bob has the file")

        # Ana sees that he has joined.
        hers.page.get_by_role("row", name="Bob (bob)").get_by_text("accepted").wait_for()

        # Bob's file appears on Ana's page, which is open. She doesn't reload it.
        hers.section("Files")
        bob.write("from bob.txt", "hello")
        hers.sees("from bob.txt")
        hers.click("from bob.txt")
        hers.click("Show", hers.dialog)
        hers.sees("hello", hers.dialog)
        hers.click("Close", hers.dialog)

        # Both change the plan at once. Bob compares the two versions, and keeps his own.
        world.conflict("plan.txt", "Monday\nWednesday\n", "Monday\nThursday\n")
        his = world.open(bob)
        his.sees("1 file has two versions")
        his.click("Compare the versions")
        his.click("Compare: plan.txt")
        his.sees("- Wednesday")
        his.sees("+ Thursday")
        his.click("Keep mine: plan.txt")
        his.sees("No file has two versions.")
        world.settle()
        must((ana.folder / "plan.txt").read_text() == "Monday\nThursday\n", "Ana has Bob's version")
        must((bob.folder / "plan.txt").read_text() == "Monday\nThursday\n", "Bob has his version")
        # The version that he didn't keep isn't lost.
        his.click("Recovered")
        his.click("Show plan.txt")
        his.sees("Wednesday", his.dialog)
        his.click("Close", his.dialog)

        # Ana goes back to the first version of the file. Then she restores the file that Bob
        # deletes.
        hers.section("Files")
        hers.click("plan.txt")
        versions = hers.dialog.get_by_role("row")
        versions.last.get_by_role("button", name="Compare version").click()
        hers.sees("+ Thursday", hers.dialog)
        versions.last.get_by_role("button", name="Restore version").click()
        hers.dialog.get_by_role("button", name="Restore", exact=True).click()
        hers.page.locator("dialog[open]").wait_for(state="detached")
        world.settle()
        must((bob.folder / "plan.txt").read_text() == "Monday\nTuesday\n", "Bob has the first version")
        (bob.folder / "from bob.txt").unlink()
        hers.misses("from bob.txt")
        hers.click("Deleted")
        hers.click("Restore from bob.txt")
        hers.agree("Restore")
        hers.sees("from bob.txt is restored.")
        world.settle()
        must((bob.folder / "from bob.txt").read_text() == "hello", "Bob has the file again")

        # The activity shows who did what, and can be filtered by person.
        hers.section("Activity")
        hers.fill("By", "bob")
        hers.click("Show")
        table = hers.page.get_by_role("region", name="What happened")
        hers.misses("Ana Äpfel (ana)", table)
        hers.sees("deleted", table)

        # Bob can only read from now on. Then Ana removes him, and reads the consequences first.
        hers.section("People")
        hers.choose("Permission of Bob (bob)", "read-only")
        hers.sees("The permission is changed.")
        his.section("Folders")
        his.sees("participant, can view (")
        hers.click("Remove Bob (bob)")
        hers.sees("the folder is removed from their devices", hers.dialog)
        hers.agree("Remove")
        hers.misses("accepted, not verified")
        his.sees("No folder is synced yet.")
        must(not bob.folder.exists(), "Bob's folder has gone")


def links_and_requests(browser):
    """a link for one person, asking for access, and numbers to compare"""
    with World(browser) as world:
        world.ana.write("file", "text")
        hers, his = world.open(world.ana), world.open(world.bob)
        hers.section("People")
        hers.share(world.ana.folder, "Trip")
        hers.sees("is shared. Now invite people.")
        hers.click("More ways")
        hers.click("Create one-time link")
        link = hers.dialog.get_by_label("The link").input_value()
        must(link.startswith("cairn:"), "it is a link")
        hers.click("Show a QR code", hers.dialog)
        code = hers.dialog.get_by_role("img", name="The link as a QR code")
        dark = code.evaluate("""(one) => {
          const pixels = one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
          return pixels.filter((value, index) => index % 4 === 0 && value === 0).length / (one.width ** 2);
        }""")
        must(0.2 < dark < 0.6, "about half of it is dark")
        hers.agree("Close")
        links = hers.page.get_by_role("region", name="Links", exact=True)
        links.get_by_text("nobody yet").wait_for()
        his.section("People")
        his.fill("Link", link)
        his.page.get_by_role("button", name="Show share", exact=True).click()
        his.fill("Another folder (new or empty)", str(world.bob.folder), his.dialog)
        his.agree("Accept")
        his.sees("1 file, 0 folders")
        links.wait_for(state="detached")
        hers.page.get_by_role("row", name="Bob (bob)").first.get_by_text("accepted").wait_for()

        # Both see the same number, and Ana confirms it.
        his.section("People")
        his.click("Verify Ana Äpfel (ana)")
        number = his.dialog.locator(".number60").inner_text()
        his.click("Close", his.dialog)
        hers.click("Verify Bob (bob)")
        must(hers.dialog.locator(".number60").inner_text() == number, "both see the same number")
        hers.fill("The number that they read to you", number, hers.dialog)
        hers.agree("It is the same")
        hers.page.get_by_role("region", name="People", exact=True).get_by_text("verified", exact=True).wait_for()

        # Bob leaves and keeps the files. Then he asks for access again.
        his.click("Leave")
        his.agree("Leave, and keep the files")
        hers.click("Accept requests")
        hers.sees("Refuse requests")
        address = world.ana.cairn("share", "show", str(world.ana.folder), "--json")
        must('"takesRequests":true' in address, "requests are taken")


def held_deletions(browser):
    """very many deletions wait for a confirmation, and are undone by a click"""
    with World(browser) as world:
        for number in range(300):
            world.ana.write(f"{number}.txt", str(number))
        world.share()
        hers = world.open(world.ana)
        for number in range(250):
            (world.ana.folder / f"{number}.txt").unlink()
        # Their number at once depends on the time of the scan.
        hers.sees("were deleted here at once")
        hers.click("Show them")
        hers.sees("Pending deletions")
        hers.click("Restore the files")
        hers.heading("Folders")
        hers.misses("were deleted here at once")
        world.settle()
        must(len(list(world.ana.folder.glob("*.txt"))) == 300, "all files are there again")
        must(len(list(world.bob.folder.glob("*.txt"))) == 300, "Bob never missed one")


def records(browser):
    """zones, records, their schema, tokens, logs, and what the host sees"""
    with World(browser) as world:
        world.ana.write("sub/file", "text")
        world.share()
        world.settle()
        hers = world.open(world.ana)
        hers.section("Advanced")
        hers.click("Schema of Trip")
        hers.sees("The schema of Trip")
        kinds = hers.page.get_by_role("region", name="Types and fields")
        must([cell.inner_text() for cell in kinds.get_by_role("row", name="content").get_by_role(
            "cell").all()] == ["", "content", "asset", "1"], "a file's content is an asset")
        hers.click("Records of Trip")
        hers.sees("sub/file")
        hers.page.get_by_role("row", name="sub/file").get_by_role("button", name="Fields").click()
        hers.sees("Change tag")
        world.bob.write("more", "text")
        world.settle()
        hers.click("Ask")
        hers.sees("Records that changed in")
        table = hers.page.get_by_role("region", name="Records")
        table.get_by_text("more").wait_for()
        must("sub/file" not in table.inner_text(), "only what changed since the token is told")
        hers.click("Log of Trip")
        hers.sees("The log of Trip")
        hers.click("What the host sees")
        hers.sees("and no name, title or content")
        hers.sees("Format")


def comparisons(browser):
    """the differences of any two texts lead from one to the other, and are as few as possible"""
    with World(browser) as world:
        hers = world.open(world.ana)
        wrong = hers.page.evaluate("""async () => {
          const { difference } = await import("/compare.js");
          let seed = 1;
          const draw = (limit) => {
            seed = (seed * 48271) % 2147483647;
            return seed % limit;
          };
          // The length of the longest common lines, the slow and simple way.
          const common = (left, right) => {
            let row = new Array(right.length + 1).fill(0);
            for (const line of left) {
              const next = [0];
              right.forEach((other, at) => next.push(
                line === other ? row[at] + 1 : Math.max(row[at + 1], next[at])));
              row = next;
            }
            return row[right.length];
          };
          const side = (changes, mark) => changes.filter(([one]) => one === " " || one === mark)
            .map(([, line]) => line).join();
          for (let round = 0; round < 2000; round += 1) {
            const [left, right] = [0, 0].map(() =>
              Array.from({ length: draw(12) }, () => "abc"[draw(3)]));
            const changes = difference(left, right);
            const kept = changes.filter(([mark]) => mark === " ").length;
            if (side(changes, "-") !== left.join() || side(changes, "+") !== right.join()
              || kept !== common(left, right)) return [left, right, changes];
          }
          // Texts that have nothing in common don't take for ever, and are still told.
          const [left, right] = ["x", "y"].map((word) =>
            Array.from({ length: 20000 }, (_, at) => word + at));
          const changes = difference(left, right);
          return changes.length === 40000 ? [] : ["long", changes.length];
        }""")
        must(wrong == [], f"the differences of {wrong}")


def shown_at_once(browser):
    """`cairn console --show` opens the page at a section, a folder, or a file with its versions"""
    with World(browser) as world:
        strange = "b ü %2f'<b>#.txt"
        world.ana.write(strange, "one")
        world.ana.write("sub/deep.txt", "deep")
        world.share()
        world.conflict("plan.txt", "one\nthree\n", "one\nfour\n")
        page = world.open(world.ana, shown=["people", world.ana.folder / "plan.txt"], heading="People")
        page.sees("Trip")
        page = world.open(world.ana, shown=[world.ana.folder / strange], heading="Files")
        page.sees("Versions, newest first", page.dialog)
        page.sees(strange, page.dialog)
        page = world.open(world.ana, shown=[world.ana.folder / "sub"], heading="Files")
        page.sees("deep.txt")
        must("secret" not in page.page.url and len(page.page.url) < 60, "nothing stays in the address")
        page = world.open(world.bob, shown=["conflicts"], heading="Files")
        page.sees("file has two versions")


def pictures_beside_each_other(browser):
    """both versions of a picture are shown, and the other one is restored from the rescue folder"""
    with World(browser) as world:
        world.share()
        world.conflict("map", png(8, 8), png(16, 16))
        his = world.open(world.bob)
        his.click("Compare the versions")
        his.click("Compare: map")
        pictures = his.page.locator("main figure img")
        pictures.nth(1).wait_for()
        wide = sorted(pictures.evaluate_all(
            "(all) => Promise.all(all.map(async (one) => { await one.decode(); return one.naturalWidth; }))"))
        must(wide == [8, 16], f"both pictures are shown: {wide}")
        his.click("Keep mine: map")
        his.sees("No file has two versions.")
        his.click("Recovered")
        his.click("Restore map")
        his.sees("It is at ")
        world.settle()
        held = [path.read_bytes() for path in world.bob.folder.iterdir() if path.is_file()]
        must(sorted(map(len, held)) == sorted(map(len, (png(8, 8), png(16, 16)))), "both are there again")


def going_back(browser):
    """the activity is filtered by person and time, and a folder goes back to before an entry"""
    with World(browser) as world:
        world.ana.write("plan.txt", "first\n")
        world.share()
        world.bob.write("plan.txt", "second\n")
        world.settle()
        hers = world.open(world.ana)
        hers.section("Activity")
        table = hers.page.get_by_role("region", name="What happened")
        hers.sees("plan.txt", table)
        hers.fill("Until", "2020-01-01T00:00")
        hers.click("Show")
        hers.sees("Nothing happened there in the kept history.")
        hers.fill("Until", "")
        hers.fill("By", "bob")
        hers.click("Show")
        # Bob's newest change is the file's second version.
        table.get_by_role("button", name="Revert to before version").first.click()
        hers.sees("Nothing leaves the history", hers.dialog)
        hers.sees("plan.txt", hers.dialog)
        must((world.ana.folder / "plan.txt").read_text() == "second\n", "looking changes nothing")
        hers.agree("Revert")
        hers.sees("Done: 1 path.")
        world.settle()
        must((world.bob.folder / "plan.txt").read_text() == "first\n", "it is as it was, for Bob too")


def a_typed_moment(browser):
    """a folder goes back to a typed point in time, completely or for one person's changes"""
    with World(browser) as world:
        world.ana.write("plan.txt", "first\n")
        world.ana.write("gone.txt", "gone\n")
        world.share()
        world.settle()
        # The point in time is the first second that begins from now on, typed as a clock elsewhere
        # shows it.
        moment = math.ceil(time.time())
        while time.time() <= moment:
            pass
        typed = datetime.fromtimestamp(moment, ZoneInfo("Asia/Kolkata")).strftime("%Y-%m-%dT%H:%M:%S")
        world.bob.write("plan.txt", "second\n")
        world.settle()
        (world.ana.folder / "gone.txt").unlink()
        world.ana.write("new.txt", "new\n")
        world.settle()
        hers = world.open(world.ana, timezone_id="Asia/Kolkata")
        hers.section("Activity")

        def look(*told):
            hers.click("Show changes")
            plan = hers.dialog.get_by_role("region", name="What would be done")
            plan.wait_for()
            rows = [row.inner_text().split("\t") for row in plan.get_by_role("row").all()[1:]]
            must(sorted(rows) == sorted(told), f"what would be done: {rows}")

        hers.fill("As it was", "2019-01-01T00:00:00")
        hers.click("Show changes")
        hers.page.get_by_role("alert").wait_for()
        hers.fill("As it was", typed)
        hers.fill("Only what was done by", "bob")
        look(["plan.txt", "changes"])
        hers.agree("Cancel")
        hers.fill("Only what was done by", "ana")
        look(["gone.txt", "comes back"], ["new.txt", "is deleted"])
        hers.agree("Cancel")
        hers.fill("Only what was done by", "")
        look(["gone.txt", "comes back"], ["new.txt", "is deleted"], ["plan.txt", "changes"])
        hers.agree("Revert")
        hers.sees("Done: 3 paths.")
        world.settle()
        for person in world.people:
            held = {path.name: path.read_text() for path in person.folder.iterdir() if path.is_file()}
            must(held == {"plan.txt": "first\n", "gone.txt": "gone\n"}, f"{person.handle} has {held}")
        # This can be undone, too. Going back to a point in time with the present contents changes
        # nothing.
        now = datetime.now(ZoneInfo("Asia/Kolkata")).strftime("%Y-%m-%dT%H:%M:%S")
        hers.section("Activity")
        hers.fill("As it was", now.replace(now[:4], str(int(now[:4]) + 1), 1))
        hers.click("Show changes")
        hers.sees("Nothing has to be done.", hers.dialog)


PLAYS = [shown_at_once, two_people, links_and_requests, held_deletions, going_back, a_typed_moment, records,
         comparisons, pictures_beside_each_other]
