"""The pictures of the README."""

from .world import World


def draw(browser, folder):
    """Writes the pictures."""
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
