"""Attempts of strangers: names that pose as more than names, files that pose as pages, other
pages."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from .world import World, must, png

SCRIPT = "<script>alert(1)</script>"
NAMES = [
    "<img src=x onerror=alert(1)>", SCRIPT.replace("/", "∕"), "\u202egpj.exe", "a\nb\tc\x1b[31mred",
    "&lt;b&gt;", "'\"`${alert(1)}", "{{7*7}}", "javascript:alert(1)", "\u2067mirror\u2069", "\\x41", " ",
    "-rf", "%2e%2e", "\ufeffbom", "e\u0301" * 40, "__proto__", "constructor",
]
RAW = b"\xff\xfe<b>not utf-8"


def hostile_names(browser):
    """names, titles and files that pose as more are shown as text, and can be told from others"""
    with World(browser, ana=f"Ana {SCRIPT}", bob="Bob <b onclick=alert(1)>") as world:
        for name in NAMES:
            world.ana.write(name, SCRIPT)
        (world.ana.folder / "raw").mkdir()
        with open(bytes(world.ana.folder / "raw") + b"/" + RAW, "wb") as file:
            file.write(b"raw")
        world.ana.cairn("share", "create", str(world.ana.folder), "--title", f"Trip {SCRIPT}")
        link = world.ana.cairn("share", "invite", str(world.ana.folder), "bob").strip().split("\n")[-1]
        world.bob.cairn("share", "accept", link, "--at", str(world.bob.folder), "--wait")
        his = world.open(world.bob)
        allowed = his.page.evaluate("[...document.scripts].map((one) => one.src)")
        for section in ("Folders", "People", "Activity", "Advanced", "Storage", "Files"):
            his.section(section)
            his.sees("Trip <script>" if section in ("Folders", "People") else "Ana <script>" if section != "Storage"
                     else "What you store")
            strange = his.page.evaluate(
                "document.querySelectorAll('main img, main script, main iframe, main style, main b,"
                " main [onclick], main [onerror]').length")
            must(strange == 0, f"{section} has elements that nobody meant")
            must(not any(mark in his.text() for mark in "\u202e\u2067\x1b\ufeff"),
                 f"{section} shows what can't be seen")
        for text in ("<img src=x onerror=alert(1)>", "\\xE2\\x80\\xAEgpj.exe", "a\\nb\\tc\\x1B[31mred", "{{7*7}}",
                     "\\\\x41", "__proto__"):
            his.page.get_by_role("button", name=text, exact=True).wait_for()
        # Each file can be shown, compared and saved, whatever its name is.
        for text in ("<img src=x onerror=alert(1)>", "a\\nb\\tc\\x1B[31mred", "\\\\x41"):
            his.page.get_by_role("button", name=text, exact=True).click()
            his.page.locator("dialog[open]").get_by_role("button", name="Show", exact=True).first.click()
            his.dialog.locator("pre").get_by_text(SCRIPT).wait_for()
            his.dialog.get_by_role("button", name="Close").click()
        his.page.get_by_role("button", name="raw/", exact=True).click()
        his.page.get_by_role("button", name="<b>not utf-8").click()
        his.dialog.get_by_role("button", name="Show", exact=True).first.click()
        his.dialog.locator("pre").get_by_text("raw").wait_for()
        his.dialog.get_by_role("button", name="Close").click()
        must(his.page.evaluate("[...document.scripts].map((one) => one.src)") == allowed, "no script came to be")


def files_that_mean_to_be_pages(browser):
    """only PNG, JPEG, GIF and WebP by signature are pictures; others are text, or saved as bytes"""
    with World(browser) as world:
        world.ana.write("picture.txt", png(8, 8))
        world.ana.write("page.html", f"<html>{SCRIPT}</html>")
        world.ana.write("drawing.svg", f"<svg xmlns='http://www.w3.org/2000/svg'>{SCRIPT}</svg>")
        world.ana.write("not really.png", f"<html>{SCRIPT}</html>")
        world.ana.write("binary.bin", bytes(range(256)))
        world.share()
        hers = world.open(world.ana)
        hers.section("Files")
        for name, tag, text in (
                ("picture.txt", "img", None), ("page.html", "pre", SCRIPT), ("drawing.svg", "pre", SCRIPT),
                ("not really.png", "pre", SCRIPT), ("binary.bin", "p", "neither text nor a picture")):
            hers.page.get_by_role("button", name=name, exact=True).click()
            hers.dialog.get_by_role("button", name="Show", exact=True).first.click()
            view = hers.dialog.locator(".preview " + tag).last
            view.wait_for()
            if text:
                must(text in view.inner_text(), f"{name} is shown as text")
                must(hers.dialog.locator("img, svg, iframe, script").count() == 0, f"{name} is shown as text only")
            else:
                width = view.evaluate("async (one) => { await one.decode(); return one.naturalWidth; }")
                must(width == 8, "the picture is shown")
            with hers.page.expect_download() as saved:
                hers.dialog.get_by_role("button", name="Save " + name, exact=True).click()
            must(saved.value.suggested_filename == name, f"{name} is saved under its name")
            content = (world.ana.folder / name).read_bytes()
            with open(saved.value.path(), "rb") as file:
                must(file.read() == content, f"{name} is saved as it is")
            hers.dialog.get_by_role("button", name="Close").click()


class Elsewhere(BaseHTTPRequestHandler):
    """Another page on this machine."""

    def do_GET(self):  # pylint: disable=invalid-name
        """Answers with an empty page."""
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Elsewhere</title>")

    def log_message(self, *arguments):  # pylint: disable=arguments-differ
        """Logs nothing."""


def the_door(browser):
    """the address is valid once, leaves nothing behind, and another page can't get in"""
    with World(browser) as world:
        world.share()
        hers = world.open(world.ana)
        must(hers.page.url == hers.origin + "/#/folders", "the secret has gone from the address")
        kept = hers.page.evaluate("[Object.keys(localStorage).length, document.cookie, history.length]")
        must(kept[:2] == [0, ""], "nothing is kept beyond the tab")
        token = hers.page.evaluate("sessionStorage.getItem('token')")
        # A reload keeps the session. Another tab and the used address don't get one.
        hers.page.reload()
        hers.heading("Folders")
        other = hers.context.new_page()
        for address, text in ((hers.address, "The address was used already"),
                              (hers.origin + "/", "opened without its secret")):
            other.goto("about:blank")
            other.goto(address)
            other.get_by_text(text).wait_for()
        # Another page on this machine, which even has the token.
        server = HTTPServer(("127.0.0.1", 0), Elsewhere)
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            other.goto(f"http://127.0.0.1:{server.server_port}/")
            tried = """async ([origin, token]) => {
              const ways = [
                () => fetch(origin + "/v1/status", { method: "POST", body: "{}" }),
                () => fetch(origin + "/v1/status", { method: "POST", body: "{}",
                  headers: { Authorization: "Bearer " + token } }),
                () => fetch(origin + "/", {}),
                () => import(origin + "/words.js"),
                () => new Promise((resolve, reject) => {
                  const frame = document.createElement("iframe");
                  frame.onload = () => {
                    try { frame.contentDocument.title; resolve(); } catch (error) { reject(error); }
                  };
                  frame.src = origin + "/";
                  document.body.append(frame);
                }).then(() => { throw new Error("a frame of nothing"); }),
              ];
              const results = [];
              for (const way of ways) {
                try { await way(); results.push("went through"); } catch { results.push("refused"); }
              }
              return results;
            }"""
            results = other.evaluate(tried, [hers.origin, token])
            must(results == ["refused"] * 5, f"another page: {results}")
        finally:
            server.shutdown()
        # The page ends with the daemon, and says so.
        world.ana.cairn("stop")
        hers.page.get_by_role("heading", name="The console is closed").wait_for()
        hers.faults = [fault for fault in hers.faults if "ERR_" not in fault]


PLAYS = [hostile_names, files_that_mean_to_be_pages, the_door]
