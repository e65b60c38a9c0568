#!/usr/bin/env python3
# An ordinary web server, Python's own, over a folder: it prints its port, and ends when its standard
# input does.
#
#   web.py FOLDER [no-lists] [ranges] [page-for-all] [busy]
#
#   no-lists      shows no pages of folders: 403
#   ranges        gives parts of files, as most servers do and Python's doesn't
#   page-for-all  shows a page, and not 404, where nothing is, as servers of single-page applications do
#   busy          says 503 to every third request

import http.server
import os
import sys
import threading

folder, ways = sys.argv[1], set(sys.argv[2:])
count = iter(range(1 << 62))


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize, disable_nagle_algorithm = -1, True

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=folder)

    def log_message(self, *_):
        pass

    def list_directory(self, path):
        if "no-lists" in ways:
            self.send_error(403)
            return None
        return super().list_directory(path)

    def send_error(self, code, message=None, explain=None):
        if code == 404 and "page-for-all" in ways:
            return self.page()
        return super().send_error(code, message, explain)

    def page(self):
        body = b"<html><body>Welcome</body></html>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        if "busy" in ways and next(count) % 3 == 0:
            return self.send_error(503)
        wanted, path = self.headers.get("range"), self.translate_path(self.path)
        if "ranges" not in ways or not wanted or not os.path.isfile(path):
            return super().do_GET()
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        with open(path, "rb") as file:
            whole = file.read()
        part = whole[int(first): int(last) + 1 if last else None]
        if int(first) >= len(whole):
            return self.send_error(416)
        self.send_response(206)
        end = int(first) + len(part) - 1
        self.send_header("Content-Range", f"bytes {first}-{end}/{len(whole)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
