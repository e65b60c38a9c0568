# What the web servers of the tests have in common: they listen on a port of loopback that the system
# chooses, print it, say nothing else, and end when their standard input does.

import http.server
import os
import sys
import threading


class Quiet:
    """For handlers of requests."""

    protocol_version = "HTTP/1.1"
    # One packet an answer: two of them wait for each other.
    wbufsize, disable_nagle_algorithm = -1, True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128

    def handle_error(self, *_):
        pass


def part(wanted, body):
    """The bytes that a header `Range` wants, and what `Content-Range` says of them; None: there are none."""
    first, _, last = wanted.removeprefix("bytes=").partition("-")
    if int(first) >= len(body):
        return None
    found = body[int(first): int(last) + 1 if last else None]
    return found, f"bytes {first}-{int(first) + len(found) - 1}/{len(body)}"


def serve(handler):
    server = Server(("127.0.0.1", 0), handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)
