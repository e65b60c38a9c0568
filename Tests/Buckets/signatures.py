#!/usr/bin/env python3
# Writes requests with the signatures that botocore (PyPI) makes for them, for Tests/CairnStoreTests.
#
#   signatures.py COUNT SEED > FILE
#
# The file signatures.json beside this one was made with 60 and 1. With SIGNATURES=FILE the test takes
# another file, of ten thousand requests, say.

import datetime
import json
import random
import sys
from unittest import mock

import botocore.auth
import botocore.awsrequest
import botocore.credentials

count, seed = int(sys.argv[1]), int(sys.argv[2])
dice = random.Random(seed)
letters = "abcXYZ019-._~ /+%$&=?!'()*:,;@äπ\U0001F5FB"


def text(most, letters=letters):
    return "".join(dice.choice(letters) for _ in range(dice.randint(1, most)))


cases = []
for _ in range(count):
    token = text(20, "abcDEF/+=") if dice.random() < 0.3 else None
    keys = botocore.credentials.Credentials(
        text(20, "ABCDEF0123"), text(40, "abcDEF/+0123"), token)
    region = dice.choice(["us-east-1", "eu-central-1", "default", "ru-7"])
    host = dice.choice(["127.0.0.1:9000", "bucket.s3.eu-central-1.amazonaws.com", "s3.example.org"])
    method = dice.choice(["GET", "PUT", "HEAD", "DELETE"])
    key = text(30).strip("/") or "k"
    query = [(text(8, "abc-DEF"), text(12)) for _ in range(dice.randint(0, 4))]
    query = list(dict(query).items())
    headers = {}
    if dice.random() < 0.5:
        headers["if-none-match"] = "*"
    if dice.random() < 0.5:
        headers["range"] = f"bytes={dice.randint(0, 99)}-{dice.randint(100, 999)}"
    body = bytes(dice.randrange(256) for _ in range(dice.randint(0, 60))) if method == "PUT" else b""
    quote = botocore.auth.quote
    path = "/bucket/" + quote(key, safe="/-._~")
    moment = datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=dice.randrange(10**8))
    encoded = "&".join(f"{quote(n, safe='-._~')}={quote(v, safe='-._~')}" for n, v in query)
    request = botocore.awsrequest.AWSRequest(
        method=method, url=f"http://{host}{path}" + (f"?{encoded}" if encoded else ""),
        headers=headers, data=body)
    request.context["payload_signing_enabled"] = True
    with mock.patch("botocore.auth.get_current_datetime", lambda remove_tzinfo=True: moment):
        botocore.auth.S3SigV4Auth(keys, "s3", region).add_auth(request)
    cases.append({
        "id": keys.access_key, "secret": keys.secret_key, "token": token, "region": region,
        "host": host, "method": method, "path": path, "query": query,
        "headers": list(headers.items()), "body": list(body),
        "time": int(moment.replace(tzinfo=datetime.timezone.utc).timestamp()),
        "authorization": request.headers["Authorization"]})
print("[\n" + ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases) + "\n]")
