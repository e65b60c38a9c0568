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

from serving import Quiet, part, serve

folder, ways = sys.argv[1], set(sys.argv[2:])
count = iter(range(1 << 62))


class Handler(Quiet, http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=folder)

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
        with open(path, "rb") as file:
            found = part(wanted, file.read())
        if found is None:
            return self.send_error(416)
        self.send_response(206)
        self.send_header("Content-Range", found[1])
        self.send_header("Content-Length", str(len(found[0])))
        self.end_headers()
        self.wfile.write(found[0])


serve(Handler)
