"""The bare side: signed requests (SigV4) to a bucket over one connection that stays open."""

import hashlib
import hmac
import http.client
import re
import time
from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True)
class Key:
    id: str
    secret: str


class Bucket:
    """One connection to one bucket."""

    def __init__(self, host: str, port: int, name: str, key: Key) -> None:
        self._host, self._name, self._key = f"{host}:{port}", name, key
        self._connection = http.client.HTTPConnection(host, port, timeout=60)
        self._connection.connect()

    def put(self, name: str, data: bytes) -> None:
        self._ask("PUT", f"/{self._name}/{quote(name)}", data=data)

    def get(self, name: str) -> bytes:
        return self._ask("GET", f"/{self._name}/{quote(name)}")

    def make(self) -> None:
        self._ask("PUT", f"/{self._name}")

    def sizes(self, prefix: str = "") -> dict[str, int]:
        """Returns all objects with their sizes."""
        found: dict[str, int] = {}
        after = ""
        while True:
            query = {"list-type": "2", "prefix": prefix} | ({"start-after": after} if after else {})
            page = self._ask("GET", f"/{self._name}", query).decode()
            names = re.findall(r"<Key>(.*?)</Key>.*?<Size>(\d+)</Size>", page, re.DOTALL)
            found |= {name: int(size) for name, size in names}
            if not names or "<IsTruncated>true" not in page:
                return found
            after = names[-1][0]

    def end(self) -> None:
        self._connection.close()

    def _ask(
        self, method: str, path: str, query: dict[str, str] | None = None, data: bytes = b""
    ) -> bytes:
        pairs = sorted((query or {}).items())
        asked = "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs)
        headers = self._signed(method, path, asked, hashlib.sha256(data).hexdigest())
        url = f"{path}?{asked}" if asked else path
        self._connection.request(method, url, body=data or None, headers=headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            said = content.decode(errors="replace")
            raise RuntimeError(f"{method} {url}: {answer.status} {said}")
        return content

    def _signed(self, method: str, path: str, query: str, digest: str) -> dict[str, str]:
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        signed = "host;x-amz-content-sha256;x-amz-date"
        head = f"host:{self._host}\nx-amz-content-sha256:{digest}\nx-amz-date:{moment}\n"
        canonical = "\n".join([method, path, query, head, signed, digest])
        scope = f"{moment[:8]}/us-east-1/s3/aws4_request"
        hashed = hashlib.sha256(canonical.encode()).hexdigest()
        key = f"AWS4{self._key.secret}".encode()
        for part in (*scope.split("/"), f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashed}"):
            key = hmac.digest(key, part.encode(), "sha256")
        return {
            "Host": self._host, "x-amz-date": moment, "x-amz-content-sha256": digest,
            "Authorization": f"AWS4-HMAC-SHA256 Credential={self._key.id}/{scope}, "
            f"SignedHeaders={signed}, Signature={key.hex()}",
        }
