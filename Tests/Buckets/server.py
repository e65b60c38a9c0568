#!/usr/bin/env python3
# A bucket to test against: as much of S3's interface as Cairn uses, in memory, with signatures
# checked by code of its own, and with answers that are late, lost, cut or wrong on demand.
#
#   server.py [FOLDER]     prints its port, and ends when its standard input does
#
# With FOLDER objects are its files, as a directory's container has them; where it isn't there, the bucket
# isn't either.
#
# The bucket is `bucket`; the key `AKIDEXAMPLE` has the secret `secret`. A PUT of JSON to /_faults says
# what goes wrong with the next requests: [{"method": "PUT", "kind": "lost", "count": 1}, ...], where a
# kind is one of
#
#   lost         the request is carried out, and the connection ends without an answer
#   hang         the same, but the connection doesn't end before the client goes away
#   late503      the request is carried out, and 503 is said
#   cut          half of the answer's body comes
#   short        the same, as if it were all of it
#   page         404 with a page that is none of an engine's
#   500 503 429  that status, nothing is done; with "after" the header Retry-After
#   409          that status, nothing is done
#   taken        another object is put there first, and then 409 is said
#   skewed       the clock is an hour ahead: RequestTimeTooSkewed for requests with the right time
#   expired      ExpiredToken
#   hidden       AccessDenied for missing objects, as from engines for users who may not list the bucket
#   denied       AccessDenied
#   blind        the condition of a PUT is ignored
#   elsewhere    301 with x-amz-bucket-region
#   again        a list begins anew, and says that there is more
# A GET of /_log tells the requests since the last one.

import calendar
import collections.abc
import hashlib
import hmac
import http.server
import json
import os
import socket
import sys
import threading
import time
import urllib.parse
from email.utils import formatdate
from xml.sax.saxutils import escape

from serving import Quiet, part, serve

KEY, SECRET, BUCKET = "AKIDEXAMPLE", "secret", "bucket"
faults, log, lock = [], [], threading.Lock()


class Files(collections.abc.MutableMapping):
    """Objects as files of a folder."""

    def __init__(self, folder):
        self.folder = folder

    def is_there(self):
        return os.path.isdir(self.folder)

    def path(self, key):
        if any(part in ("", ".", "..") for part in key.split("/")):
            raise KeyError(key)
        return os.path.join(self.folder, key)

    def __getitem__(self, key):
        try:
            with open(self.path(key), "rb") as file:
                return file.read()
        except OSError as error:
            raise KeyError(key) from error

    def __setitem__(self, key, body):
        path = self.path(key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # A reader of the folder never sees a part of it.
        with open(path + ".part", "wb") as file:
            file.write(body)
        os.rename(path + ".part", path)

    def __delitem__(self, key):
        try:
            os.unlink(self.path(key))
        except OSError as error:
            raise KeyError(key) from error

    def __iter__(self):
        for folder, _, names in os.walk(self.folder):
            below = os.path.relpath(folder, self.folder)
            for name in names:
                yield name if below == "." else f"{below}/{name}"

    def __len__(self):
        return sum(1 for _ in self)


objects = Files(sys.argv[1]) if len(sys.argv) > 1 else {}


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(method, path, query, headers, names, moment, region):
    pairs = sorted(
        (urllib.parse.quote(n, safe="-._~"), urllib.parse.quote(v, safe="-._~"))
        for n, v in urllib.parse.parse_qsl(query, keep_blank_values=True))
    canonical = "\n".join(
        [method, path, "&".join(f"{n}={v}" for n, v in pairs)]
        + [f"{name}:{' '.join(headers[name].split())}" for name in names]
        + ["", ";".join(names), headers["x-amz-content-sha256"]])
    scope = f"{moment[:8]}/{region}/s3/aws4_request"
    text = "\n".join(
        ["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        key = mac(key, part)
    return mac(key, text).hex()


def content(key, body):
    tag = hashlib.md5(body, usedforsecurity=False).hexdigest()
    return (f"<Contents><Key>{escape(key)}</Key><ETag>&quot;{tag}&quot;</ETag>"
            f"<Size>{len(body)}</Size></Contents>")


class Handler(Quiet, http.server.BaseHTTPRequestHandler):
    server_version, sys_version = "CairnTestBucket", ""

    def answer(self, status, body=b"", headers=None, cut=False):
        if getattr(self, "shortened", False):
            body, self.shortened = body[: len(body) // 2], False
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def refuse(self, status, code, headers=None, more=""):
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code>{more}<Message>no</Message></Error>"
        self.answer(status, body.encode(), headers)

    def fault(self, kinds=None):
        with lock:
            for fault in faults:
                if fault["method"] in (self.command, "*") and fault["count"] > 0 \
                        and (kinds is None or fault["kind"] in kinds):
                    fault["count"] -= 1
                    return fault
        return None

    def is_signed(self, body):
        given = self.headers.get("authorization", "")
        try:
            fields = dict(part.strip().split("=", 1) for part in given.split(" ", 1)[1].split(","))
            key, day, region, service, last = fields["Credential"].split("/")
            headers = {name.lower(): value for name, value in self.headers.items()}
            names = fields["SignedHeaders"].split(";")
            path, _, query = self.path.partition("?")
            needed = {"host", "x-amz-date", "x-amz-content-sha256"}
            if "if-none-match" in headers:
                needed.add("if-none-match")
            expected = signature(
                self.command, path, query, headers, names, headers["x-amz-date"], region)
            return (key == KEY and needed <= set(names) and service == "s3"
                    and hashlib.sha256(body).hexdigest() == headers["x-amz-content-sha256"]
                    and hmac.compare_digest(expected, fields["Signature"]))
        except (KeyError, ValueError, IndexError):
            return False

    def control(self, body):
        with lock:
            if self.path == "/_faults":
                faults[:] = json.loads(body)
                self.answer(200)
            else:
                told = json.dumps(log).encode()
                log.clear()
                self.answer(200, told)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.startswith("/_"):
            return self.control(body)
        with lock:
            log.append(f"{self.command} {self.path}")
        if not self.is_signed(body):
            return self.refuse(403, "SignatureDoesNotMatch")
        path, _, query = self.path.partition("?")
        _, bucket, key = (urllib.parse.unquote(path) + "/").split("/", 2)
        if bucket != BUCKET or isinstance(objects, Files) and not objects.is_there():
            return self.refuse(404, "NoSuchBucket")
        fault = self.fault()
        kind = fault["kind"] if fault else None
        self.begins_anew = kind == "again"
        if kind in ("500", "503", "429"):
            after = {"Retry-After": str(fault["after"])} if "after" in fault else {}
            return self.refuse(int(kind), "SlowDown" if kind == "503" else "InternalError", after)
        if kind == "denied":
            return self.refuse(403, "AccessDenied")
        if kind == "page":
            return self.answer(404, b"<html>404 page not found</html>")
        if kind == "hang":
            self.close_connection = True
            self.connection.recv(1)
            return None
        self.shortened = kind == "short"
        if kind == "expired":
            return self.refuse(400, "ExpiredToken")
        if kind == "elsewhere":
            return self.refuse(301, "PermanentRedirect", {"x-amz-bucket-region": "eu-north-1"})
        if kind == "skewed":
            ahead = time.time() + 3600
            if abs(ahead - self.sent()) > 900:
                self.skewed_date = formatdate(ahead, usegmt=True)
                return self.refuse(403, "RequestTimeTooSkewed")
        elif abs(time.time() - self.sent()) > 900:
            moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            return self.refuse(
                403, "RequestTimeTooSkewed", more=f"<ServerTime>{moment}</ServerTime>")
        key = key[:-1]
        if not key:
            return self.list(query)
        getattr(self, "object_" + self.command.lower())(key, body, kind)

    def sent(self):
        return calendar.timegm(time.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ"))

    def date_time_string(self, timestamp=None):
        return getattr(self, "skewed_date", None) or super().date_time_string(timestamp)

    def lose(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def object_put(self, key, body, kind):
        with lock:
            if kind == "taken":
                objects.setdefault(key, b"another")
            if kind in ("409", "taken"):
                return self.refuse(409, "ConditionalRequestConflict")
            if self.headers.get("if-none-match") == "*" and key in objects and kind != "blind":
                return self.refuse(412, "PreconditionFailed")
            try:
                objects[key] = body
            except (OSError, KeyError):
                return self.refuse(500, "InternalError")
        if kind == "lost":
            return self.lose()
        if kind == "late503":
            return self.refuse(503, "SlowDown")
        self.answer(200, headers={"ETag": '"0"'})

    def object_get(self, key, _, kind):
        with lock:
            body = objects.get(key)
        if body is None and kind == "hidden":
            return self.refuse(403, "AccessDenied")
        if body is None:
            return self.refuse(404, "NoSuchKey")
        if kind == "lost":
            return self.lose()
        wanted = self.headers.get("range")
        if wanted is None:
            return self.answer(200, body, cut=kind == "cut")
        found = part(wanted, body)
        if found is None:
            return self.refuse(416, "InvalidRange")
        self.answer(206, found[0], {"Content-Range": found[1]}, cut=kind == "cut")

    object_head = object_get

    def object_delete(self, key, *_):
        with lock:
            objects.pop(key, None)
        self.answer(204)

    def list(self, query):
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        prefix, after = asked.get("prefix", ""), asked.get("start-after", "")
        after = "" if self.begins_anew else after
        delimiter, most = asked.get("delimiter"), min(1000, int(asked.get("max-keys", 1000)))
        with lock:
            keys = sorted(k for k in objects if k.startswith(prefix) and k > after)
        found, folders, is_cut = [], [], self.begins_anew
        for key in keys:
            rest = key[len(prefix):]
            folder = prefix + rest.split(delimiter)[0] + delimiter \
                if delimiter and delimiter in rest else None
            if folder in folders:
                continue
            if len(found) + len(folders) == most:
                is_cut = True
                break
            (folders if folder else found).append(folder or key)
        inside = "".join(content(key, objects.get(key, b"")) for key in found)
        inside += "".join(f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>"
                          for f in folders)
        body = ("<?xml version='1.0' encoding='UTF-8'?><ListBucketResult>"
                f"<Name>{BUCKET}</Name><Prefix>{escape(prefix)}</Prefix>"
                f"<IsTruncated>{'true' if is_cut else 'false'}</IsTruncated>{inside}"
                "</ListBucketResult>")
        self.answer(200, body.encode())

    do_GET = do_HEAD = do_PUT = do_DELETE = handle_any


serve(Handler)
