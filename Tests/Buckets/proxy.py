#!/usr/bin/env python3
# Stands between Cairn and a bucket, and does to requests and answers what networks, load balancers
# and busy engines do.
#
#   proxy.py HOST PORT [--rate SHARE] [--seed NUMBER] [--kinds "lost 503 ..."]
#
# It prints its port, and ends when its standard input does. SHARE of the requests (0.1) have one of
# these kinds of trouble, drawn from the seed:
#
#   delay      comes up to 50 ms late
#   cut        the connection ends before the request has gone on
#   500 503 429   that status, and nothing is done; some say Retry-After, as a number or a date
#   page       404 with a page of the proxy's own, and nothing is done
#   skewed     RequestTimeTooSkewed, a date in the head that is an hour wrong, and perhaps the right time
#   expired    ExpiredToken
#   lost       it is carried out, and the connection ends without an answer
#   hang       it is carried out, and no answer comes until the client goes away
#   late503 late500   it is carried out, and that status is said
#   twice      it is carried out twice, and the second answer comes
#   half       half of the answer's body comes, and the connection ends
#   short      half of the answer's body comes as if it were all of it (of parts and lists)
#   date       the answer's date is an hour wrong
#
# `hang` is left out unless it is named. A GET of /_proxy tells how many requests there were, and how
# much of each kind.

import argparse
import asyncio
import json
import random
import sys
import threading
import time
from email.utils import formatdate

KINDS = ["delay", "cut", "500", "503", "429", "page", "skewed", "expired", "lost", "late503",
         "late500", "twice", "half", "short", "date"]

options = argparse.ArgumentParser()
options.add_argument("host")
options.add_argument("port", type=int)
options.add_argument("--rate", type=float, default=0.1)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--kinds", default=" ".join(KINDS))
options = options.parse_args()
kinds, dice = options.kinds.split(), random.Random(options.seed)
told = {"requests": 0}


async def message(reader, method=None):
    """A request, or the answer to a request of that method: its first line, its headers, its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines]
    values = {name.lower(): value for name, value in headers}
    if method == "HEAD" or (method and first.split()[1] in ("204", "304")):
        return first, headers, b""
    if values.get("transfer-encoding", "").lower() == "chunked":
        body = b""
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readline()
        headers = [pair for pair in headers if pair[0].lower() != "transfer-encoding"]
        return first, headers + [("Content-Length", str(len(body)))], body
    return first, headers, await reader.readexactly(int(values.get("content-length", 0)))


def whole(first, headers, body):
    lines = [first] + [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def replaced(headers, name, value):
    kept = [pair for pair in headers if pair[0].lower() != name.lower()]
    return kept + [(name, value)]


def refusal(status, code, more=()):
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode()
    headers = [("Content-Type", "application/xml"), ("Content-Length", str(len(body))), *more]
    return whole(f"HTTP/1.1 {status} Trouble", headers, body)


def instead(kind):
    """The answer without a request to the engine, or None if the engine is asked."""
    now = time.time()
    after = dice.choice([[], [("Retry-After", "0")], [("Retry-After", formatdate(now, usegmt=True))]])
    if kind in ("500", "503", "429"):
        return refusal(kind, "SlowDown" if kind == "503" else "InternalError", after)
    if kind == "page":
        page = b"<html><body>404 page not found</body></html>"
        return whole("HTTP/1.1 404 Not Found", [("Content-Length", str(len(page)))], page)
    if kind == "skewed":
        right = time.strftime("<ServerTime>%Y-%m-%dT%H:%M:%SZ</ServerTime>", time.gmtime(now))
        body = ("<Error><Code>RequestTimeTooSkewed</Code>" + dice.choice([right, ""])
                + "</Error>").encode()
        wrong = formatdate(now + dice.choice([-3600, 3600]), usegmt=True)
        return whole("HTTP/1.1 403 Forbidden",
                     [("Date", wrong), ("Content-Length", str(len(body)))], body)
    return refusal(400, "ExpiredToken") if kind == "expired" else None


class Upstream:
    """The connection to the engine that belongs to one of the client's."""

    def __init__(self):
        self.reader = self.writer = None

    async def ask(self, request):
        for _ in range(2):
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection(
                    options.host, options.port, limit=1 << 24)
            try:
                self.writer.write(whole(*request))
                await self.writer.drain()
                return await message(self.reader, request[0].split()[0])
            except (asyncio.IncompleteReadError, ConnectionError):
                # It was kept alive for too long. Only what wasn't begun is asked again.
                self.close()
        raise ConnectionError

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None


async def answer(kind, request, upstream, reader):
    """The bytes of an answer, and whether the connection goes on."""
    if kind == "delay":
        await asyncio.sleep(dice.random() / 20)
    if kind == "cut":
        return b"", False
    if said := instead(kind):
        return said, True
    first, headers, body = await upstream.ask(request)
    if kind == "twice":
        first, headers, body = await upstream.ask(request)
    if kind == "lost":
        return b"", False
    if kind == "hang":
        await reader.read(1)
        return b"", False
    if kind in ("late503", "late500"):
        return refusal(kind[4:], "InternalError"), True
    if kind == "date":
        headers = replaced(headers, "Date", formatdate(time.time() + 3600, usegmt=True))
    if kind == "half" and body:
        return whole(first, headers, body[: len(body) // 2]), False
    isPart = first.split()[1] == "206" or b"<ListBucketResult" in body[:200]
    if kind == "short" and body and isPart:
        half = body[: len(body) // 2]
        return whole(first, replaced(headers, "Content-Length", str(len(half))), half), True
    return whole(first, headers, body), True


async def serve(reader, writer):
    upstream = Upstream()
    try:
        while True:
            request = await message(reader)
            if request[0].split()[1] == "/_proxy":
                body = json.dumps(told).encode()
                writer.write(whole("HTTP/1.1 200 OK", [("Content-Length", str(len(body)))], body))
                continue
            told["requests"] += 1
            kind = dice.choice(kinds) if dice.random() < options.rate else None
            if kind:
                told[kind] = told.get(kind, 0) + 1
            bytes_, goes_on = await answer(kind, request, upstream, reader)
            writer.write(bytes_)
            await writer.drain()
            if not goes_on:
                break
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        upstream.close()
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 24, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    over, loop = asyncio.Event(), asyncio.get_running_loop()

    def wait():
        sys.stdin.read()
        loop.call_soon_threadsafe(over.set)

    threading.Thread(target=wait, daemon=True).start()
    await over.wait()


asyncio.run(main())
