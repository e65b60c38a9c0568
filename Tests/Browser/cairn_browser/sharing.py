"""Roles and permissions in a share, changed by clicking. Commands then ask the daemons for the
result."""

from .world import World, must


def shown(person):
    """Returns the share of a person's folder, as a command prints it."""
    return person.answer("share", "show", str(person.folder))["share"]


def entry(person, handle):
    """Returns a person's entry in the share."""
    return next((one for one in shown(person)["participants"] if one.get("handle") == handle), None)


def roles(browser):
    """a choice changes permission and role, ownership is handed over, and both sides agree on it"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        ana.write("plan.txt", "one\n")
        world.share()
        hers, his = world.open(ana), world.open(bob)

        # Bob can only read. His changes stay local, and are sent once he may write again.
        hers.section("People")
        hers.choose("Permission of Bob (bob)", "read-only")
        hers.sees("The permission is changed.")
        must(entry(ana, "bob")["permission"] == "read-only", "Bob may only read")
        his.sees("participant, can view (")
        his.section("Files")
        his.click("plan.txt")
        his.click("Permissions", his.dialog)
        his.sees("update: no.", his.dialog)
        his.click("Close", his.dialog)
        his.click("Close", his.dialog)
        hers.choose("Permission of Bob (bob)", "read-write")
        his.section("Folders")
        his.sees("participant, can edit (")
        must(entry(bob, "bob")["permission"] == "read-write", "Bob may write, as he sees it")

        # An administrator can accept requests, but can't become more than an administrator.
        his.section("People")
        must(his.page.get_by_role("button", name="Accept requests").count() == 0,
             "a participant isn't offered what only administrators may do")
        hers.choose("Role of Bob (bob)", "administrator")
        hers.sees("The role is changed.")
        must(entry(bob, "bob")["role"] == "administrator", "Bob is an administrator")
        his.click("More ways")
        his.click("Accept requests")
        his.sees("Refuse requests")
        must(shown(ana)["takesRequests"], "what an administrator says holds for Ana")
        must(his.page.get_by_role("button", name="Make Ana Äpfel (ana) the owner").count() == 0,
             "only the owner hands it over")

        # Bob is the owner now, and Ana is a participant who can edit.
        hers.click("Make Bob (bob) the owner")
        hers.sees("only they can give it back", hers.dialog)
        hers.agree("Offer")
        hers.sees("The offer waits for an answer.")
        world.settle()
        his.click("Accept the ownership of Trip")
        his.sees("You own it now.")
        his.click("Stop sharing Trip")
        his.agree("Cancel")
        for person in (ana, bob):
            must(shown(person)["owner"]["handle"] == "bob", f"Bob owns it, {person.handle} sees")
            must(entry(person, "bob")["role"] == "owner", f"he is its owner, {person.handle} sees")
            must([entry(person, "ana")[key] for key in ("role", "permission")]
                 == ["participant", "read-write"], f"she may write, {person.handle} sees")
        ana.write("plan.txt", "two\n")
        world.settle()
        must((bob.folder / "plan.txt").read_text() == "two\n", "what Ana writes is Bob's, too")


def successors(browser):
    """the owner names a successor and refuses a claim, and without a refusal the share is taken over"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        world.share()
        hers, his = world.open(ana), world.open(bob)
        hers.section("People")
        hers.click("Name successors for Trip")
        hers.dialog.get_by_label("Bob (bob)").check()
        hers.fill("Days between a claim and the change", "0", hers.dialog)
        hers.click("Name", hers.dialog)
        hers.sees("1 successor named.")
        must(shown(ana)["succession"]["people"][0]["handle"] == "bob", "Bob is named")
        world.settle()

        his.section("People")
        his.click("Claim the ownership of Trip")
        his.agree("Claim")
        his.sees("You claim the ownership.")
        hers.sees("claims the ownership")
        hers.click("Refuse the claims to Trip")
        hers.sees("Refused.")
        his.misses("You claim the ownership: possible")
        must(shown(bob)["succession"]["claims"] == [], "the claim is void")

        his.click("Claim the ownership of Trip")
        his.agree("Claim")
        his.click("Take over Trip")
        his.sees("You own it now.")
        world.settle()
        must(shown(ana)["owner"]["handle"] == "bob", "Bob owns it, as Ana sees")
        must(entry(ana, "ana")["permission"] == "read-write", "she may write")


def requests(browser):
    """a stranger's request is approved, denied and blocked, and a block is taken back"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        # Bob was never in the share: a person who left gets an invitation without a decision.
        ana.folder.mkdir()
        ana.cairn("share", "create", str(ana.folder), "--title", "Trip")
        link = ana.cairn("share", "invite", str(ana.folder), "--link").strip().split("\n")[-1]
        ana.cairn("share", "set-requests", str(ana.folder), "on")
        hers, his = world.open(ana), world.open(bob)

        def asks(words):
            his.section("People")
            his.fill("Link", link)
            his.fill("Message to the owner", words)
            his.click("Ask for access")
            his.sees("Asked. You get an invitation if they agree.")
            hers.section("People")
            hers.sees(words)

        def waiting():
            return ana.answer("share", "requests")["requests"]

        asks("May I?")
        must([one["text"] for one in waiting()] == ["May I?"], "the request has come with its word")
        hers.click("Deny Bob (bob)")
        hers.sees("Denied.")
        hers.misses("May I?")
        must(waiting() == [] and entry(ana, "bob") is None, "nothing is left of it")

        asks("Please?")
        hers.choose("Access", "read-write")
        hers.click("Approve Bob (bob)")
        hers.sees("Invited.")
        must([entry(ana, "bob")[key] for key in ("acceptance", "permission")]
             == ["pending", "read-write"], "Bob is invited, to read and write")
        his.click("Show the invitation to Trip")
        his.fill("Another folder (new or empty)", str(bob.folder), his.dialog)
        his.agree("Accept")
        his.heading("Folders")
        his.sees("up to date")
        must(entry(bob, "bob")["acceptance"] == "accepted", "Bob takes part")

        hers.click("Remove Bob (bob)")
        hers.agree("Remove")
        hers.sees("was removed.")
        asks("Again?")
        hers.click("Block Bob (bob)")
        hers.sees("They are blocked.")
        must([one["handle"] for one in shown(ana)["blocked"]] == ["bob"], "Bob is blocked")
        must(waiting() == [], "his request has gone")
        hers.click("Unblock Bob (bob)")
        hers.misses("Blocked")
        must(shown(ana)["blocked"] == [], "he is blocked no more")


def what_is_kept(browser):
    """the owner sets how much history is kept, and others see it"""
    with World(browser) as world:
        world.ana.write("plan.txt", "one\n")
        world.share()

        def kept(person):
            policy = person.answer("history", "policy", str(person.folder))["policy"]
            return {key: value for key, value in policy.items() if value}

        hers, his = world.open(world.ana), world.open(world.bob)
        hers.section("Activity")
        hers.click("History policy")
        hers.sees("All versions are kept.", hers.dialog)
        hers.axe("what is kept of the past")
        hers.choose("Each version", str(30 * 86400), hers.dialog)
        hers.choose("Last of each day", str(365 * 86400), hers.dialog)
        hers.fill("Number per file", "12", hers.dialog)
        hers.click("Change", hers.dialog)
        hers.sees("it is under 30 days old", hers.dialog)
        hers.sees("Nothing is deleted before", hers.dialog)
        hers.agree("Close")
        wanted = {"all": 30 * 86400, "daily": 365 * 86400, "versions": 12}
        must(kept(world.ana) == wanted, f"what was chosen is in force: {kept(world.ana)}")
        world.settle()
        must(kept(world.bob) == wanted, "Bob sees the same")

        his.section("Activity")
        his.click("History policy")
        his.sees("one of the file's last 12", his.dialog)
        must(his.dialog.get_by_role("button", name="Change").count() == 0, "only the owner changes it")
        his.agree("Close")

        # A time span that a command set, and that the page doesn't offer, stays until it is
        # changed.
        world.ana.cairn("history", "policy", str(world.ana.folder), "--all", "7h")
        hers.click("History policy")
        hers.sees("it is under 7 hours old", hers.dialog)
        hers.fill("Number per file", "3", hers.dialog)
        hers.click("Change", hers.dialog)
        hers.sees("one of the file's last 3", hers.dialog)
        must(kept(world.ana) == {"all": 7 * 3600, "versions": 3}, "the span stays")
        hers.choose("Each version", "", hers.dialog)
        hers.choose("Last of each day", "", hers.dialog)
        hers.fill("Number per file", "", hers.dialog)
        hers.click("Change", hers.dialog)
        hers.sees("No version would be kept", hers.dialog)
        hers.choose("Each version", "forever", hers.dialog)
        hers.click("Change", hers.dialog)
        hers.sees("All versions are kept.", hers.dialog)
        must(kept(world.ana) == {"forever": True}, "all is kept again")


def groups_and_access(browser):
    """a group is invited by one name, a member leaves it, and a person is removed from everything"""
    with World(browser) as world:
        world.ana.folder.mkdir()
        world.ana.write("plan.txt", "plan")
        world.ana.cairn("share", "create", str(world.ana.folder), "--title", "Trip")
        hers = world.open(world.ana)
        hers.section("People")
        hers.fill("Group", "team")
        hers.fill("People (handles)", "bob")
        hers.click("Add to group")
        hers.sees("The group is created.")
        hers.fill("Handle", "@team")
        hers.choose("Access", "read-only")
        hers.choose("Access ends", "7")
        hers.page.get_by_role("button", name="Invite", exact=True).click()
        hers.agree("Close")
        shares = hers.page.get_by_role("region", name="Your groups")
        hers.sees("Trip", shares)
        hers.click("Access of Bob")
        hers.sees("@team", hers.dialog)
        hers.sees("can view", hers.dialog)
        hers.axe("a person's access")
        must("never" not in hers.dialog.inner_text(), "the access has an end")
        hers.click("Remove from all shares", hers.dialog)
        hers.dialog.get_by_role("button", name="Remove", exact=True).click()
        hers.sees("Removed from 1 share.")
        must(world.ana.answer("user", "show", "bob")["shares"] == [], "he is in no share")
        hers.click("Members of team")
        hers.sees("The group is empty.", hers.dialog)
        hers.agree("Close")
        hers.click("Delete team")
        hers.dialog.get_by_role("button", name="Delete", exact=True).click()
        hers.misses("@team", hers.page.get_by_role("region", name="Your groups"))


def merged_texts(browser):
    """both versions of a text are merged in a field, unless marks are left or a version changed"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        ana.write("plan.txt", "one\r\ntwo\r\n")
        world.share()
        world.settle()
        world.conflict("plan.txt", "one\r\nof ana\r\nend\r\n", "one\r\nof bob\r\nend\r\n")
        hers = world.open(ana)
        hers.section("Folders")
        hers.sees("1 conflict")
        hers.misses("up to date")
        hers.section("Files")
        hers.click("Conflicts")

        def merge(text, parts):
            hers.click("Merge: plan.txt")
            hers.sees(parts)
            field = hers.page.get_by_label("Both versions")
            must("of ana\n=======\nof bob\n>>>>>>> plan (conflict" in field.input_value(), "both are shown")
            hers.axe("a merge")
            if text:
                field.fill(text)
            hers.click("Save merged text")

        merge(None, "1 part differs.")
        hers.sees("The edited text still has markers")
        hers.click("Merge: plan.txt")
        hers.sees("1 part differs.")
        ana.write("plan.txt", "one\r\nof ana\r\nend\r\nlater\r\n")
        ana.cairn("wait")
        hers.fill("Both versions", "one\n")
        hers.click("Save merged text")
        hers.sees("changed while you edited")
        merge("one\nof both\nend\n", "2 parts differ.")
        hers.sees("No file has two versions.")
        world.settle()
        for person in world.people:
            must((person.folder / "plan.txt").read_bytes() == b"one\r\nof both\r\nend\r\n", "the line ends stay")
            must(len(list(person.folder.glob("*.txt"))) == 1, "the conflict is over for both")
        hers.click("Recovered")
        hers.click("Show plan (conflict")
        hers.sees("of bob", hers.dialog)


def drop_boxes(browser):
    """a drop box is created and ended; what others put in is accepted into the folder, or discarded"""
    with World(browser) as world:
        ana, bob = world.ana, world.bob
        ana.write("plan.txt", "plan\n")
        world.share()
        world.settle()
        hers = world.open(ana)
        hers.section("Folders")
        hers.click("People of ")
        hers.fill("Megabytes of a file", "1")
        hers.click("Create drop box")
        hers.sees("The drop box is created.")
        hers.axe("a drop box")
        link = ana.answer("drop", "list")["boxes"][0]["link"]
        for name in ("letter.txt", "bill.txt"):
            file = bob.home.parent / name
            file.write_text(name)
            bob.cairn("drop", "put", link, str(file))
        hers.sees("bill.txt")
        hers.click("Accept letter.txt")
        hers.sees("letter.txt is in the folder.")
        must((ana.folder / "letter.txt").read_text() == "letter.txt", "the file is here")
        hers.click("Discard bill.txt")
        hers.sees("Discarded.")
        hers.misses("bill.txt")
        hers.click("End ")
        hers.agree("End")
        hers.sees("The drop box is ended.")
        must(ana.answer("drop", "list")["boxes"] == [], "no box is left")


PLAYS = [roles, successors, requests, what_is_kept, groups_and_access, merged_texts, drop_boxes]
