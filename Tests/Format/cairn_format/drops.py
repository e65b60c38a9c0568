"""DROP BOXES: files from anybody with a link, for their owner alone."""

from dataclasses import dataclass

from . import schema
from .account import Book
from .container import Container
from .hashes import H, is_signed, n, unbase32, unbox, unseal
from .problems import Invalid
from .wire import Message

MAXIMUM_OBJECT = 8192
PIECE = 4 << 20


@dataclass
class DropLink:
    """The link of a drop box."""

    container: bytes
    owner: bytes
    secret: bytes
    location: str

    @staticmethod
    def parse(text: str) -> "DropLink":
        """Parses a link, which must have the right checksum."""
        scheme, _, rest = "".join(text.split()).partition("/")
        data = unbase32(rest)
        body, check = data[:-4], data[-4:]
        if scheme.lower() != "cairn:drop" or H("cairn drop link v1", body)[:4] != check:
            raise Invalid("no link of a drop box")
        if len(body) < 81 or body[0] != 1:
            raise Invalid("a link of another format")
        return DropLink(body[1:17], body[17:49], body[49:81], body[81:].decode("utf-8"))

    @property
    def box(self) -> str:
        """The name of the description."""
        return H("cairn drop box name v1", self.secret)[:16].hex()

    def opened(self, container: Container, name: str) -> bytes:
        """Opens the seal of the object with that name."""
        stored = container.get(f"users/{self.owner.hex()}/drops/{name}")
        if stored is None or len(stored) > MAXIMUM_OBJECT:
            raise Invalid("no such object of a drop box")
        sealed = schema.decode("DropObject", stored)
        if sealed.format != 1:
            raise Invalid("an object of another format")
        key = H("cairn drop box key v1", self.secret)
        return unseal(key, sealed.nonce, "cairn drop v1", self.owner + name.encode(), sealed.sealed)


def _rest(message: Message) -> bytes:
    """The encoding without signature and padding."""
    left_out = ("signature", "padding")
    parts = {name: each for name, each in message.parts.items() if name not in left_out}
    return schema.encode(Message(message.schema, parts, message.extra))


def read_box(container: Container, link: DropLink, book: Book) -> Message:
    """Returns the description of the box, which a device of its owner must have signed."""
    box = schema.decode("DropBox", link.opened(container, link.box))
    device = book.person(link.owner).devices.get(box.device)
    if device is None or not is_signed(
        device.sign_key, box.signature, "cairn drop box v1", link.owner, bytes.fromhex(link.box),
        _rest(box),
    ):
        raise Invalid("a drop box that its owner didn't sign")
    return box


def read_drops(
    container: Container, link: DropLink, encryption: list[bytes], book: Book
) -> list[tuple[str, bytes, bytes | None]]:
    """Returns the name, the content and the sender of each file in a box, for its owner."""
    found = []
    folder = f"users/{link.owner.hex()}/drops"
    for name in container.names(folder):
        if not name.startswith(link.box + "-") or name.count("-") != 1:
            continue
        boxed = link.opened(container, name)
        plains = (unbox(secret, boxed) for secret in encryption)
        plain = next((each for each in plains if each is not None), None)
        if plain is None:
            raise Invalid("a file for somebody else")
        drop = schema.decode("Drop", plain)
        data = b""
        for number in range(-(-drop.size // PIECE)):
            place = f"{name}-{number:08x}"
            sealed = container.get(f"{folder}/{place}") or b""
            data += unseal(
                drop.key, n(number) + bytes(16), "cairn drop piece v1", link.owner + place.encode(),
                sealed,
            )
        if len(data) != drop.size:
            raise Invalid("a file with another size")
        found.append((drop.name, data, _sender(drop, name, link, book)))
    return found


def _sender(drop: Message, name: str, link: DropLink, book: Book) -> bytes | None:
    if not drop.user:
        return None
    device = book.person(drop.user).devices.get(drop.device)
    if device is None or not is_signed(
        device.sign_key, drop.signature, "cairn drop v1", link.owner, name.encode(), _rest(drop)
    ):
        return None
    return bytes(drop.user)
