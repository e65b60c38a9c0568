"""People who write: the keys of their devices, and the entries of their chains."""

import random
from dataclasses import dataclass, field

from . import schema
from .account import Account
from .container import Container, chain_folder
from .hashes import box, box_public, sign, sign_public
from .people import Person, chain_digest, device_id, lock_of, place_name, read_person, user_id
from .problems import Invalid
from .wire import Message


@dataclass
class DeviceKeys:
    """The two keys of a device."""

    seed: bytes
    box_secret: bytes

    @property
    def id(self) -> bytes:
        return device_id(self.sign_key)

    @property
    def sign_key(self) -> bytes:
        return sign_public(self.seed)

    @property
    def box_key(self) -> bytes:
        return box_public(self.box_secret)


@dataclass
class Signer:
    """A person with one of their devices, which writes their chain."""

    user: bytes
    device: DeviceKeys
    encryption: list[bytes]  # the current one last
    origin: bytes
    entries: list[bytes] = field(default_factory=list)

    @property
    def key(self) -> bytes:
        """The public encryption key."""
        return box_public(self.encryption[-1])

    @staticmethod
    def new(dice: random.Random, handle: str, name: str, time: int) -> "Signer":
        """Creates a new person. `put_start` makes them known to a container."""
        device = DeviceKeys(dice.randbytes(32), dice.randbytes(32))
        secret = dice.randbytes(32)
        start = schema.make(
            "IdentityStart",
            profile=schema.make("IdentityProfile", handle=handle, name=name),
            device=_brought(device, f"{name}'s laptop", secret, bytes(32)),
            encryption_key=box_public(secret),
        )
        body = schema.encode(
            schema.make(
                "IdentityBody",
                sequence=1,
                previous=bytes(32),
                device=device.id,
                time=time,
                start=start,
                lock=lock_of(place_name(secret, 2)),
            )
        )
        user = user_id(body)
        origin = _signed(body, device.seed)
        return Signer(user, device, [secret], origin, [origin])

    # --- the chain

    @property
    def head(self) -> Message:
        """`chain` of a commit: the position and digest of this chain's end."""
        head = chain_digest(self.entries[-1])
        return schema.make("ChainHead", length=len(self.entries), head=head)

    def put_start(self, container: Container) -> None:
        """Puts entry 1, at a place that is known only once the entry is there."""
        if not container.put_if_absent(f"{chain_folder(self.user)}/start", self.origin):
            raise Invalid("somebody else's entry 1")

    def entry(self, time: int, new_secret: bytes | None = None, **change: Message) -> bytes:
        """Returns the next entry of the chain."""
        number = len(self.entries) + 1
        secret = new_secret or self.encryption[-1]
        lock = lock_of(place_name(secret, number + 1))
        body = schema.make(
            "IdentityBody",
            sequence=number,
            previous=chain_digest(self.entries[-1]),
            device=self.device.id,
            time=time,
            lock=lock,
            **change,
        )
        return _signed(schema.encode(body), self.device.seed)

    def append(self, container: Container | None, entry: bytes) -> None:
        """Puts an entry at the place that the person's secret gives."""
        number = len(self.entries) + 1
        if container is not None:
            name = place_name(self.encryption[-1], number)
            if not container.put_if_absent(f"{chain_folder(self.user)}/{name}", entry):
                raise Invalid("the place in the chain is taken")
        self.entries.append(entry)

    def add_device(self, container: Container | None, device: DeviceKeys, time: int) -> "Signer":
        """Returns the person with a second device, which writes from then on."""
        added = _brought(device, "Phone", self.encryption[-1], chain_digest(self.entries[-1]))
        self.append(container, self.entry(time, add_device=added))
        return Signer(self.user, device, self.encryption, self.origin, self.entries)

    def revoke(
        self, container: Container, device: bytes, secret: bytes, time: int
    ) -> None:
        """Revokes a device, and makes a new secret encryption key."""
        rest = [each for each in self.person().active() if each.id != device]
        revocation = schema.make(
            "IdentityRevocation",
            device=device,
            encryption_key=box_public(secret),
            secrets=[
                schema.make(
                    "SealedSecret", device=each.id, sealed_secret=box(each.box_key, secret)
                )
                for each in rest
            ],
        )
        self.append(container, self.entry(time, secret, revoke_device=revocation))
        self.encryption.append(secret)

    def person(self) -> Person:
        """The chain as everybody replays it."""
        person = Person(self.user)
        for entry in self.entries:
            person.apply(entry)
        return person

    def account(self) -> Account:
        """The account file's contents."""
        return Account(
            self.user, self.device.seed, self.device.box_secret, self.encryption, self.origin
        )

    def refresh(self, container: Container) -> Person:
        """Reads the chain from the container."""
        return read_person(container, self.user)


def _brought(device: DeviceKeys, name: str, secret: bytes, previous: bytes) -> Message:
    return schema.make(
        "IdentityDevice",
        name=name,
        sign_key=device.sign_key,
        box_key=device.box_key,
        sealed_secret=box(device.box_key, secret),
        proof=sign(device.seed, "cairn device proof v1", device.box_key, previous),
    )


def _signed(body: bytes, seed: bytes) -> bytes:
    signature = sign(seed, "cairn identity entry v1", body)
    return schema.encode(
        schema.make("IdentityEntry", format=1, body=body, signature=signature)
    )
