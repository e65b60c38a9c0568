"""Plays random requests against a daemon in a throwaway home, by schemathesis through a loopback proxy.

Reads the description from standard input. The argument is the folder of the programs.
"""

import base64
import contextlib
import copy
import http.client
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

# The answers of these end only with the daemon or the client.
ENDLESS = ["/v1/stop", "/v1/statusWatch"]
# A daemon that needs longer hangs.
SECONDS = 30
REF = "#/components/schemas/"
# The schemas of paths that the daemon uses itself.
LOCAL = ["AbsolutePath", "ContainerLocation"]


class Home:
    """A home with a container, a mirrored folder, and a daemon whose working directory is beside them."""

    def __init__(self, binaries):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="cairn-api-", dir="/tmp"))
        self.binaries = pathlib.Path(binaries).resolve()
        self.socket = str(self.root / "cairn/cairnd.sock")
        self.daemon = None
        self.environment = {
            "PATH": f"{self.binaries}:/usr/bin:/bin", "HOME": str(self.root / "home"), "TMPDIR": str(self.root),
            "CAIRN_HOME": str(self.root / "cairn"), "LANG": "C.UTF-8"}

    def start(self):
        for folder in ["home", "work", "box", "Docs/deep"]:
            (self.root / folder).mkdir(parents=True)
        for number in range(3):
            (self.root / f"Docs/deep/{number}").write_text(f"text {number}\n")
        self.cairn("init", "--container", self.root / "box", "--name", "Ana", "--handle", "ana")
        # With --ready-fd the daemon would work in /.
        with open(self.root / "log", "wb") as log:
            self.daemon = subprocess.Popen(
                [self.binaries / "cairnd"], env=self.environment, cwd=self.root / "work", stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + SECONDS
        while not self.answers():
            if self.daemon.poll() is not None or time.monotonic() > end:
                sys.exit("The daemon doesn't answer: " + (self.root / "log").read_text(errors="replace"))
            time.sleep(0.05)
        self.cairn("share", "create", self.root / "Docs")
        self.cairn("wait")

    def answers(self):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.socket)
            return True
        return False

    def cairn(self, *words):
        subprocess.run(
            ["cairn", *map(str, words)], env=self.environment, cwd=self.root / "work", check=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def remove(self):
        """Ends the daemon and what it has started, by the id of their process group, and removes the home."""
        if self.daemon:
            for number in [signal.SIGTERM, signal.SIGKILL]:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.daemon.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.daemon.wait(SECONDS)
        shutil.rmtree(self.root, ignore_errors=True)


def played(description, root):
    """Returns the description for the proxy: one JSON object in each answer, and paths below the root."""
    document = copy.deepcopy(description)
    for path in ENDLESS:
        del document["paths"][path]
    errors = document["components"]["responses"]["Error"]
    for answer in [errors, *(item["post"]["responses"]["200"] for item in document["paths"].values())]:
        answer["content"] = {"application/json": answer["content"]["application/x-ndjson"]}
    schemas = document["components"]["schemas"]
    names = [f"{root}/Docs", f"{root}/Docs/deep", f"{root}/Docs/deep/1", f"{root}/Docs/missing", f"{root}/Other"]
    below = {"type": "string", "pattern": f"^{root}(/[A-Za-z0-9 ~-]{{1,8}}){{1,3}}$"}
    schemas["AbsolutePath"] = {
        "anyOf": [
            {"enum": names}, below,
            {"enum": [{"base64": base64.b64encode(f"{root}/Docs/".encode() + b"\xff").decode()}]}]}
    schemas["ContainerLocation"] = below
    schemas["Bucket"] = {"enum": [{"region": "eu-central-1"}, {"style": "path"}, {}]}
    del request_of(document, "/v1/events")["properties"]["follow"]
    wait = request_of(document, "/v1/wait")
    wait["required"] = ["timeoutSeconds"]
    wait["properties"]["timeoutSeconds"].update({"minimum": 0, "maximum": 1})
    for path in document["paths"]:
        request = request_of(document, path)
        for name, member in request.get("properties", {}).items():
            if name not in request.get("required", []):
                request["properties"][name] = {"anyOf": [member, {"type": "null"}]}
    return document


def request_of(document, path):
    content = document["paths"][path]["post"].get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("schema", {})


class Border:
    """The paths that may reach the daemon: those below the root. The schema says which values are paths."""

    def __init__(self, description, root):
        self.description = description
        self.schemas = description["components"]["schemas"]
        self.root = f"{root}/"
        if missing := [name for name in LOCAL if name not in self.schemas]:
            sys.exit(f"openapi.yaml has no {missing}, so the proxy can't tell paths.")

    def admits(self, path, value):
        return self.is_plain(value) and self.is_inside(request_of(self.description, path), value)

    def is_inside(self, schema, value):
        """Returns whether each value that the schema calls a path is below the root, or is no path at all."""
        name = schema.get("$ref", "").removeprefix(REF)
        if name in LOCAL:
            return self.is_below(value)
        schema = self.schemas.get(name, schema)
        if isinstance(value, list) and "items" in schema:
            return all(self.is_inside(schema["items"], part) for part in value)
        if not all(self.is_inside(part, value) for part in schema.get("oneOf", [])):
            return False
        members = schema.get("properties", {})
        return not isinstance(value, dict) or all(
            self.is_inside(members[key], part) for key, part in value.items() if key in members)

    def is_below(self, value):
        if isinstance(value, dict):
            value = value.get("base64")
            if isinstance(value, str):
                try:
                    value = base64.b64decode(value, validate=True).decode("utf-8", "surrogateescape")
                except ValueError:
                    return False
        # The daemon takes no other value for a path.
        return not isinstance(value, str) or value.startswith(self.root)

    def is_plain(self, value):
        """Returns whether no text, wherever it is, is a path elsewhere, an address, or a command."""
        if isinstance(value, dict):
            return not {"credentialProcess", "credentialsFile"} & value.keys() and all(
                self.is_plain(part) for part in value.values())
        if isinstance(value, list):
            return all(self.is_plain(part) for part in value)
        if not isinstance(value, str):
            return True
        texts = [value]
        with contextlib.suppress(ValueError):
            texts.append(base64.b64decode(value, validate=True).decode("utf-8", "surrogateescape"))
        return not any(
            (text.startswith("/") and not text.startswith(self.root)) or ".." in text.split("/")
            or "://" in text or text.startswith("s3:") for text in texts)


class Connection(http.client.HTTPConnection):
    """A connection to a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=SECONDS)
        self.path = path

    def connect(self):
        end = time.monotonic() + self.timeout
        while True:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(self.timeout)
            try:
                return self.sock.connect(self.path)
            except (FileNotFoundError, ConnectionRefusedError):
                # After containerMove the daemon opens its home again. For a moment nothing listens.
                self.sock.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)


def proxy(home, description):
    """Returns a server that forwards requests to the daemon. It joins the lines of an answer to one object."""
    answered, refused = {}, {}
    border = Border(description, home.root)

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path not in description["paths"] or self.path in ENDLESS:
                return self.give(404, error("invalidArguments", "The proxy doesn't know this address."))
            try:
                value = json.loads(body or b"{}")
            except ValueError:
                return self.give(400, error("invalidArguments", "This is no JSON."))
            if not border.admits(self.path, value):
                refused[self.path] = refused.get(self.path, 0) + 1
                return self.give(400, error("invalidArguments", "The proxy forwards no path outside the home."))
            # The daemon gets what was checked, not a text that it may read in another way.
            self.give(*self.forwarded(json.dumps(value).encode()))

        def forwarded(self, body):
            connection = Connection(home.socket)
            try:
                connection.request(self.command, self.path, body, {"content-type": "application/json"})
                response = connection.getresponse()
                lines = [json.loads(line) for line in response.read().splitlines()]
            except (OSError, ValueError, http.client.HTTPException) as fault:
                return 502, error("interrupted", f"The daemon gave no answer: {fault!r}")
            finally:
                connection.close()
            last = lines[-1] if lines else {}
            if "reply" in last:
                answered[self.path] = answered.get(self.path, 0) + 1
                return 200, joined(description, self.path, lines)
            problem = last.get("error", error("internalError", "The last line has no reply and no error."))
            if response.status != 200:
                return response.status, problem
            return 500 if problem.get("code") == "internalError" else 400, problem

        def give(self, status, value):
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, answered, refused


def joined(description, path, lines):
    """Returns the reply with the list that came before it."""
    reply = lines[-1]["reply"]
    content = description["paths"][path]["post"]["responses"]["200"]["content"]
    name = content["application/x-ndjson"]["schema"]["$ref"].split("/")[-1]
    if member := description["components"]["schemas"][name].get("x-list"):
        reply[member] = [item for line in lines for item in line.get("items", [])]
    return reply


def error(code, message):
    return {"code": code, "message": message, "remedy": ""}


def main():
    # An end by a signal removes the home, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))
    description = json.load(sys.stdin)
    home = Home(sys.argv[1])
    try:
        home.start()
        status = play(home, description)
    finally:
        home.remove()
    sys.exit(status)


def play(home, description):
    server, answered, refused = proxy(home, description)
    file = home.root / "openapi.json"
    file.write_text(json.dumps(played(description, home.root)))
    checks = ["not_a_server_error", "status_code_conformance", "content_type_conformance",
              "response_schema_conformance", "negative_data_rejection"]
    limit = int(os.environ.get("SECONDS_LIMIT", "600"))
    try:
        status = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", str(file),
             "--url", f"http://127.0.0.1:{server.server_port}", "--checks", ",".join(checks),
             "--phases", "fuzzing", "--max-examples", os.environ.get("EXAMPLES", "4"), "--workers", "1",
             "--seed", os.environ.get("SEED", "1"), "--generation-database", "none", "--no-shrink",
             "--continue-on-failure", "--request-timeout", str(2 * SECONDS), "--no-color", "--warnings", "off"],
            cwd=home.root, timeout=limit).returncode
    except subprocess.TimeoutExpired:
        print(f"It was ended after {limit} seconds.")
        status = 1
    print(f"{len(answered)} of {len(description['paths'])} operations gave an answer, the others only errors. "
          f"The proxy refused {sum(refused.values())} requests.")
    if home.daemon.poll() is not None:
        print(f"The daemon has ended with the status {home.daemon.returncode}.")
        print((home.root / "log").read_text(errors="replace")[-4000:])
        status = 1
    if strays := list((home.root / "work").iterdir()):
        print(f"The daemon wrote into its working directory: {strays}")
        status = 1
    return status


if __name__ == "__main__":
    main()
