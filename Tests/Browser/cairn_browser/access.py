"""Access for everybody: by keyboard, by screen reader, on a phone, in the dark, with very many
files."""

from .world import Failure, World, must

SECTIONS = ("Folders", "People", "Activity", "Files", "Devices", "Storage", "Settings", "Advanced")


def filled(world):
    """Opens two people with a share that contains everything that the page can show."""
    world.ana.write("plan.txt", "one\ntwo\n")
    world.ana.write("sub/deep.txt", "deep")
    world.share()
    (world.ana.folder / "sub/deep.txt").unlink()
    world.conflict("plan.txt", "one\nthree\n", "one\nfour\n")
    world.ana.cairn("share", "invite", str(world.ana.folder), "--link", "--expires", "7d")


def screen_reader(browser):
    """axe finds nothing in any section, in light and dark, on a desk and a phone"""
    with World(browser) as world:
        filled(world)
        for scheme, width in ((scheme, width) for scheme in ("light", "dark") for width in (1200, 768, 360)):
            page = world.open(world.bob, color_scheme=scheme, viewport={"width": width, "height": 800})
            what = f"{scheme}, {width} wide: "
            page.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
            try:
                page.axe("a button without a name")
                found = False
            except Failure:
                found = True
            must(found, "axe finds what is wrong")
            page.page.locator("main > button").evaluate("(one) => one.remove()")
            for section in SECTIONS:
                page.section(section)
                page.filled()
                page.axe(what + section)
            page.section("Files")
            for tab in ("Conflicts", "Pending deletions", "Deleted", "Recovered"):
                page.click(tab)
                page.page.locator("main h2").first.wait_for()
                page.axe(what + tab)
            page.click("Conflicts")
            page.click("Compare: plan.txt")
            page.sees("+ four")
            page.axe(what + "a comparison")
            page.click("All files")
            page.page.get_by_role("button", name="plan.txt", exact=True).click()
            page.dialog.wait_for()
            page.axe(what + "a file")
            page.click("Close", page.dialog)
            page.section("People")
            page.click("Leave")
            page.dialog.wait_for()
            page.axe(what + "a question")
            page.click("Cancel", page.dialog)


def phone(browser):
    """nothing is wider than a phone's screen, and everything on it can be reached"""
    with World(browser) as world:
        world.ana.write("x" * 200 + ".txt", "long")
        filled(world)
        page = world.open(world.ana, viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
        for section in SECTIONS:
            page.section(section)
            page.filled()
            wide = page.page.evaluate("document.documentElement.scrollWidth")
            must(wide <= 320, f"{section} is {wide} wide on a screen of 320")
            cut = page.page.evaluate("""[...document.querySelectorAll("main button, main select, main input")].filter(
              (one) => one.offsetParent && one.getBoundingClientRect().right > 320).map((one) => one.textContent)""")
            must(not cut, f"{section} cuts {cut}")
        # The rows of a table are cards, whose actions are in a menu that stays open.
        page.section("People")
        remove = page.page.get_by_role("button", name="Remove Bob (bob)")
        must(not remove.is_visible(), "actions are in a menu")
        page.click("Actions: Bob (bob)")
        remove.wait_for()
        world.ana.cairn("share", "set-permission", str(world.ana.folder), "bob", "read-only")
        page.page.locator("main select:has(option[value=read-only]:checked)").first.wait_for()
        must(remove.is_visible(), "news don't close a menu")
        page.axe("a menu")


def press(page, role, name, limit=200):
    """Moves to an element by the Tab key alone, and returns what it is."""
    target = page.page.locator("dialog[open]").last if page.page.locator("dialog[open]").count() else page.page
    element = target.get_by_role(role, name=name).first
    element.wait_for()
    for _ in range(limit):
        if element.evaluate("(one) => one === document.activeElement"):
            seen = element.evaluate(
                "(one) => getComputedStyle(one).outlineStyle !== 'none'")
            must(seen, f"{name} has the focus, and one can't see that")
            return
        page.page.keyboard.press("Tab")
    must(False, f"the Tab key doesn't come to {role} {name}")


def keyboard(browser):
    """the keyboard alone shares, invites, accepts, settles a conflict and removes"""
    with World(browser) as world:
        world.ana.write("plan.txt", "one\n")
        hers, his = world.open(world.ana), world.open(world.bob)

        def act(page, role, name, *keys):
            press(page, role, name)
            for key in keys:
                if len(key) > 1 and key[0] == "+":
                    page.page.keyboard.press(key[1:])
                else:
                    page.page.keyboard.type(key)

        act(hers, "link", "People", "+Enter")
        hers.heading("People")
        must(hers.page.evaluate("document.activeElement.tagName") == "H1", "the section's title has the focus")
        act(hers, "button", "Share a folder", "+Enter")
        press(hers, "textbox", "Folder")
        hers.page.keyboard.press("Control+a")
        hers.page.keyboard.type(str(world.ana.folder))
        hers.page.keyboard.press("Enter")
        act(hers, "textbox", "Title", "+Control+a", "Trip", "+Enter")
        hers.sees("Trip is shared. Now invite people.")
        act(hers, "combobox", "Handle", "bob", "+Enter")
        hers.dialog.wait_for()
        hers.page.keyboard.press("Escape")
        act(his, "link", "People", "+Enter")
        act(his, "button", "Show the invitation to Trip", "+Enter")
        act(his, "textbox", "Another folder (new or empty)", str(world.bob.folder))
        act(his, "button", "Accept", "+Enter")
        his.sees("1 file, 0 folders")
        world.conflict("plan.txt", "two\n", "three\n")
        act(hers, "link", "Files", "+Enter")
        act(hers, "button", "Conflicts", "+Enter")
        act(hers, "button", "Compare: plan.txt", "+Space")
        hers.sees("+ three")
        act(hers, "button", "Keep theirs: plan.txt", "+Enter")
        hers.sees("No file has two versions.")
        must(hers.page.evaluate("document.activeElement !== document.body"), "the focus isn't lost")
        world.settle()
        must((world.bob.folder / "plan.txt").read_text() == "three\n", "Bob's version is everywhere")
        act(hers, "link", "People", "+Enter")
        act(hers, "button", "Remove Bob (bob)", "+Enter")
        must(hers.dialog.get_by_role("button", name="Cancel").evaluate(
            "(one) => one === document.activeElement"), "what does nothing has the focus first")
        act(hers, "button", "Remove", "+Enter")
        hers.misses("accepted, not verified")


def ten_thousand(browser):
    """ten thousand files are shown a page at a time, and found by a part of their name"""
    with World(browser) as world:
        for number in range(10_000):
            path = world.ana.folder / f"{number:05}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(str(number))
        world.ana.cairn("add", str(world.ana.folder))
        world.ana.cairn("wait")
        page = world.open(world.ana)
        page.sees("10,000 files")
        page.section("Files")
        page.sees("Files, 1 to 100 of 10,000")
        must(page.page.locator("main tr").count() == 101, "a hundred rows are shown")
        page.click("Next page")
        page.sees("00100.txt")
        page.fill("Only names with", "0999")
        page.sees("09990.txt")
        must(page.page.locator("main tr").count() == 12, "eleven names have that")
        page.section("Activity")
        page.sees(" more")


def late_answers(browser):
    """an answer that comes late doesn't replace what was asked for after it"""
    with World(browser) as world:
        for number in ("one", "two", "three"):
            folder = world.root / number
            folder.mkdir()
            (folder / (number + ".txt")).write_text(number)
            world.ana.cairn("add", str(folder))
        world.ana.cairn("wait")
        page = world.open(world.ana)
        page.section("Files")
        page.sees("All files")
        held = []

        def hold(route):
            if held:
                route.continue_()
            else:
                held.append(route)

        page.page.route("**/v1/ls", hold)
        page.choose("Folder", "two")
        page.choose("Folder", "three")
        page.sees("three.txt")
        page.ended(held[0].request, held[0].continue_)
        page.page.evaluate("new Promise((resolve) => setTimeout(resolve, 0))")
        must("two.txt" not in page.text() and "three.txt" in page.text(), "the newest question is answered")


PLAYS = [screen_reader, phone, keyboard, ten_thousand, late_answers]
