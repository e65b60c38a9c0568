"""INVITATIONS: messages to people, links, device codes, doors."""

from dataclasses import dataclass

from . import schema
from .account import Book
from .bounds import MAXIMUM_TITLE
from .container import Container, zone_folder
from .fold import zone_id
from .hashes import H, base32, box, box_public, is_signed, n, sign, sign_public, unbase32, unbox
from .keyring import Secrets
from .log import pad
from .problems import FormatProblem, Invalid
from .wire import Message

INVITATION, REQUEST = 0, 1
MAXIMUM_MESSAGE = 1 << 20
_CONTEXTS = ("cairn invitation v1", "cairn request v1")
_BODIES = ("Invitation", "AccessRequest")


def seal_message(
    body: Message, kind: int, key: bytes, recipient: bytes, seed: bytes
) -> bytes:
    """Returns a message, signed by the device of that seed and boxed for a person or a link."""
    data = schema.encode(body)
    signature = sign(seed, _CONTEXTS[kind], recipient, data)
    signed = schema.make("SignedMessage", body=data, signature=signature, kind=kind)
    sealed = box(key, pad(signed))
    return schema.encode(schema.make("InboxMessage", format=1, sealed=sealed))


def open_message(
    stored: bytes, secrets: list[bytes], recipient: bytes, container: bytes, book: Book
) -> tuple[int, Message]:
    """Opens a message. Its named author must have signed it, and it must be of this container."""
    if len(stored) > MAXIMUM_MESSAGE:
        raise Invalid("a message that is too long")
    message = schema.decode("InboxMessage", stored)
    plains = (unbox(secret, message.sealed) for secret in secrets)
    plain = next((each for each in plains if each is not None), None)
    if plain is None or message.format != 1:
        raise Invalid("a message that doesn't open")
    signed = schema.decode("SignedMessage", plain)
    if signed.kind not in (INVITATION, REQUEST):
        raise Invalid("a message of no known kind")
    body = schema.decode(_BODIES[signed.kind], signed.body)
    device = book.person(body.user).devices.get(body.device)
    if device is None or body.container != container:
        raise Invalid("a message of an unknown device, or of another container")
    if signed.passed_on is not None:
        if signed.kind != REQUEST or len(signed.passed_on) != 32:
            raise Invalid("a message that can't be passed on")
        recipient = signed.passed_on
    context = _CONTEXTS[signed.kind]
    if not is_signed(device.sign_key, signed.signature, context, recipient, signed.body):
        raise Invalid("a message that isn't signed by whom it names")
    if signed.kind == INVITATION:
        if len(body.title.encode()) > MAXIMUM_TITLE:
            raise Invalid("a title that is too long")
        head = body.chain_head
        if head is not None and not book.person(body.user).passes(head.length, head.head):
            raise Invalid("the inviter's chain is another one")
    return signed.kind, body


def invitation_name(first_key: bytes, recipient: bytes, number: int) -> str:
    """`name of an invitation in an inbox`."""
    name = H("cairn invitation name v1", first_key, recipient, n(number))
    return name[:16].hex()


def read_inbox(
    container: Container, secrets: Secrets, id: bytes, book: Book
) -> list[tuple[str, int, Message]]:
    """Returns the messages in a person's inbox. Objects that don't open are skipped."""
    if secrets.user is None:
        return []
    folder, out = f"users/{secrets.user.hex()}/inbox", []
    for name in container.names(folder):
        stored = container.get(f"{folder}/{name}")
        try:
            kind, body = open_message(
                stored or b"", secrets.encryption, secrets.user, id, book
            )
        except FormatProblem:
            continue
        if body.id.hex() == name:
            out.append((name, kind, body))
    return out


# --- links


@dataclass
class LinkSecret:
    """The keys that are derived from a link's secret."""

    secret: bytes

    @property
    def seed(self) -> bytes:
        return H("cairn link sign v1", self.secret)

    @property
    def box_secret(self) -> bytes:
        return H("cairn link box v1", self.secret)

    @property
    def id(self) -> bytes:
        return sign_public(self.seed)

    @property
    def box_key(self) -> bytes:
        return box_public(self.box_secret)

    def claim(self, zone: bytes, user: bytes) -> bytes:
        """The proof of a claim."""
        return sign(self.seed, "cairn link claim v1", zone, self.id, user)


@dataclass
class Locator:
    """The location of a share. With a secret, it also lets a person in."""

    container: bytes
    founder: bytes
    zone: bytes
    location: str = ""
    secret: bytes | None = None
    inviter: bytes | None = None  # 16 bytes, if the inviter isn't the founder

    def text(self) -> str:
        locator = self.container + self.founder + self.zone + b"\1" + self.location.encode()
        text = "cairn:share/" + base32(locator + H("cairn link v1", locator)[:4])
        if self.secret is None:
            return text
        fragment = self.secret + (self.inviter or b"")
        check = H("cairn link secret v1", locator, fragment)[:4]
        return text + "#" + base32(fragment + check)

    @staticmethod
    def parse(text: str) -> "Locator":
        """Parses a link, which must have the right checksums."""
        scheme, _, rest = "".join(text.split()).partition("/")
        if scheme.lower() != "cairn:share":
            raise Invalid("no link of a share")
        first, hash_mark, second = rest.partition("#")
        data = unbase32(first)
        locator, check = data[:-4], data[-4:]
        if H("cairn link v1", locator)[:4] != check or len(locator) < 81 or locator[80] != 1:
            raise Invalid("a link with a wrong checksum, or of another format")
        location = _location(locator[81:])
        out = Locator(locator[:16], locator[16:48], locator[48:80], location)
        if hash_mark:
            fragment = unbase32(second)
            body, check = fragment[:-4], fragment[-4:]
            if H("cairn link secret v1", locator, body)[:4] != check:
                raise Invalid("a secret with a wrong checksum")
            if len(body) not in (32, 48):
                raise Invalid("a secret of another length")
            out.secret, out.inviter = body[:32], body[32:] or None
        return out


def _location(data: bytes) -> str:
    """Decodes an absolute path in UTF-8 of up to 1,024 bytes without control characters, or
    nothing."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid("a location that isn't UTF-8") from error
    has_control = any(ord(each) < 0x20 or 0x7F <= ord(each) <= 0x9F for each in text)
    if len(data) > 1024 or has_control or (text and not text.startswith("/")):
        raise Invalid("a location that is none")
    return text


def read_link(
    container: Container, id: bytes, locator: Locator, book: Book
) -> Message:
    """Returns the invitation that a link opens."""
    if locator.secret is None:
        raise Invalid("a link without a secret")
    link = LinkSecret(locator.secret)
    folder = zone_folder(locator.zone, locator.founder)
    stored = container.get(f"{folder}/links/{link.id.hex()}")
    if stored is None:
        raise Invalid("a link that is gone")
    _, body = open_message(stored, [link.box_secret], link.id, id, book)
    inviter = locator.inviter or locator.founder[:16]
    if not body.user.startswith(inviter) or body.zone != locator.zone:
        raise Invalid("an invitation by somebody else, or to another zone")
    return body


# --- device codes


@dataclass
class DeviceCode:
    """A code that a device makes for a new one."""

    container: bytes
    user: bytes
    secret: bytes
    expires: int
    chain_length: int
    chain_head: bytes  # the first bytes of its digest
    path: str

    def text(self) -> str:
        code = b"\1" + self.container + self.user + self.secret + n(self.expires)
        code += n(self.chain_length) + self.chain_head + self.path.encode()
        return "cairn:device/" + base32(code + H("cairn device code v1", code)[:4])

    @staticmethod
    def parse(text: str) -> "DeviceCode":
        """Parses a code, which must have the right checksum."""
        scheme, _, rest = "".join(text.split()).partition("/")
        data = unbase32(rest)
        code, check = data[:-4], data[-4:]
        if scheme.lower() != "cairn:device" or H("cairn device code v1", code)[:4] != check:
            raise Invalid("no device code")
        if len(code) < 113 or code[0] != 1:
            raise Invalid("a code of another format")
        numbers = (int.from_bytes(code[at : at + 8], "big") for at in (81, 89))
        expires, length = numbers
        return DeviceCode(
            code[1:17], code[17:49], code[49:81], expires, length, code[97:113],
            code[113:].decode("utf-8"),
        )

    def join_name(self, what: str, number: int) -> str:
        """The name of a `request` or an `answer`."""
        return H(f"cairn join {what} v1", self.secret, n(number))[:16].hex()

    @property
    def join_key(self) -> bytes:
        return H("cairn join key v1", self.secret)


def check_door(stored: bytes, zone: bytes) -> bytes:
    """Returns the owner in a valid door."""
    door = schema.decode("Door", stored)
    if door.format != 1 or zone_id(door.owner, door.nonce) != zone:
        raise Invalid("a door that isn't this zone's")
    return door.owner
