"""Containers with logs that somebody damaged: entries are deleted, altered or replaced, and some
have spare copies. Two readers must come to the same result."""

import random
from pathlib import Path

from . import schema
from .account import Book
from .container import Container, zone_folder
from .log import place_name
from .random_records import RandomRecords
from .signers import Signer
from .state import ROOT
from .wire import Message
from .zone_reader import ReadZone
from .zone_writer import ZoneWriter, member

NOW = 1_700_000_000_000_000_000


def change(**what: object) -> Message:
    """A change of the share."""
    return schema.make("ShareChange", **what)


def spoil(container: Container, place: str, how: str, stored: bytes, dice: random.Random) -> None:
    """Removes an entry, and puts what the words say in its place."""
    container.delete(place)
    if how == "rubbish":
        container.put_if_absent(place, dice.randbytes(40))
    elif how == "altered":
        container.put_if_absent(place, stored[:-1] + bytes([stored[-1] ^ 1]))


class DamagedWorld:
    """Ana's container, which she reads. The zone belongs to her, and Bob is in it."""

    def __init__(self, folder: str, seed: int) -> None:
        self._dice = random.Random(f"damaged {seed}")
        self._container = Container(f"{folder}/cloud")
        self._site = self._dice.randbytes(16)  # where logs go on that end here
        is_listed = self._dice.random() < 0.3  # the container was moved there, and is here
        self._container.found(NOW, sites=[self._site] if is_listed else None)
        self._book = Book(self._container)
        self._ana, self._bob = self._person("ana"), self._person("bob")
        self._ana.account().save(f"{folder}/home")
        self._zone = ZoneWriter.found(
            self._container, self._book, self._ana, "Trip", self._dice,
            share=[change(title="Trip")],
        )
        self._entries: list[tuple[str, bytes]] = []  # place and bytes, from entry 2 on
        self._forks: list[list[bytes]] = []  # for each entry, others that were valid there
        self._epoch_keys: list[bytes] = [self._zone.keys[1]]
        self.story: list[str] = []

    def _person(self, handle: str) -> Signer:
        signer = Signer.new(self._dice, handle, handle.title(), NOW)
        signer.put_start(self._container)
        return signer

    def play(self) -> None:
        """Writes entries and the account zone. Then it damages the log."""
        self._commit("invite", self._ana, share=[self._invite()], keys=[member(self._bob)])
        self._commit("accept", self._bob, share=[change(accept=True)])
        for number in range(self._dice.randint(3, 10)):
            who = self._dice.choice([self._ana, self._bob])
            if who is self._ana and self._dice.random() < 0.2:
                key = self._dice.randbytes(32)
                self._commit("raise", who, key)
                self._epoch_keys.append(key)
            elif who is self._ana and self._dice.random() < 0.6:
                kinds = ["carry", "fields", "checkpoint", "checkpoint", "floor", "retire"]
                what = self._dice.choice(kinds)
                self._commit(what, who, **self._kept(what))
            else:
                self._commit("file", who, data=b"file %d" % number)
        self._end()
        self._note()
        if self._dice.random() < 0.6:
            self._copy(0, len(self._entries) - 1)
        for _ in range(self._dice.randint(0, 4)):
            last = self._dice.randrange(len(self._entries))
            self._copy(max(0, last - self._dice.choice([0, 0, 1, 3])), last)
        for _ in range(self._dice.randint(1, 3)):
            self._damage()
        if self._dice.random() < 0.5:
            public = DamagedPublic(
                self._container, self._book, self._bob, self._dice, self._site
            )
            public.play()
            self.story += public.story

    def _end(self) -> None:
        """Ends the share or the zone, or has the log go on at another site. Some entries follow,
        which count or don't."""
        dice = self._dice
        how = dice.choice(["", "", "stop", "purge", "goes_on"])
        if not how:
            return
        key = dice.randbytes(32)
        if how == "goes_on":
            site = schema.make("Site", id=self._site, location="/there")
            self._commit(how, self._ana, key, share=[change(goes_on=site)])
        elif how == "stop":
            self._commit(how, self._ana, key, share=[change(stop=True)])
        else:
            self._commit(how, self._ana, share=[change(purge=True)])
        if how != "purge":
            self._epoch_keys.append(key)
        if dice.random() < 0.7:
            who = self._ana if how == "stop" else dice.choice([self._ana, self._bob])
            self._commit("after it", who, data=b"after", is_judged=how != "purge")

    def _kept(self, what: str) -> dict[str, object]:
        """Returns the parts of a commit of Ana's about what the zone keeps."""
        state, dice = self._writer(self._ana).read().state, self._dice
        random_records = RandomRecords(dice, state)
        if what == "carry":
            folder = schema.make(
                "RecordChange", id=dice.randbytes(16), act=1, kind=2,
                place=schema.make("Place", parent=ROOT, name=b"d%d" % state.sequence),
                attributes=random_records.right_attributes(),
            )
            return {"share": [change(carry=3)], "records": [folder]}
        if what == "fields":
            note = schema.make(
                "RecordChange", id=dice.randbytes(16), act=1, kind=4, type_name="note",
                fields=random_records.right_fields(),
            )
            return {"records": [note], "chunks": random_records.chunks}
        header = state.header
        if what == "retire":
            packs = b"".join(sorted({each.pack for each in state.chunks.values()} - {b""}))
            generation = header.generation + 1
            made = schema.make(
                "Retirement", generation=generation, packs=packs, inline=dice.random() < 0.5
            )
            return {"share": [change(retire=made)]}
        if what == "floor" and header.checkpoints:
            place = header.checkpoints[-1]
            digest = state.checkpoint_digests[place]
            floor = schema.make(
                "Floor", checkpoint=place, digest=digest, forgotten=place, past=dice.randbytes(32)
            )
            return {"share": [change(floor=floor)]}
        return {"share": [change(checkpoint=True)]}

    def _invite(self) -> Message:
        return change(
            invite=schema.make("ShareInvitation", user=self._bob.user, permission=3)
        )

    def _writer(self, who: Signer) -> ZoneWriter:
        zone = self._zone
        return ZoneWriter(
            self._container, self._book, who, zone.zone, zone.founder, dict(zone.keys),
            self._dice,
        )

    def _commit(
        self, what: str, who: Signer, next_key: bytes | None = None, data: bytes | None = None,
        is_judged: bool = True, **parts: object,
    ) -> None:
        writer = self._writer(who)
        if data is not None:
            parts.update(writer.file(data, data))
        read = writer.read()
        place = self._place(read.keys[read.state.header.epoch], read.state.sequence + 1)
        self._forks.append([self._other(each, writer.read()) for each in (self._ana, self._bob)])
        self._entries.append((place, writer.commit(next_key, is_judged, **parts)))
        self.story.append(f"{len(self._entries) + 1}: {what} by {self._name(who)}")

    def _name(self, who: Signer) -> str:
        return "Ana" if who is self._ana else "Bob"

    def _place(self, key: bytes, number: int) -> str:
        folder = zone_folder(self._zone.zone, self._zone.founder)
        return f"{folder}/log/{place_name(key, self._zone.zone, number)}"

    def _note(self) -> None:
        """Names the zone in the account zone, with its first key or all keys."""
        own = ZoneWriter.found_account(self._container, self._book, self._ana, self._dice)
        keys = dict(enumerate(self._epoch_keys, 1))
        if self._dice.random() < 0.5:
            keys = {1: self._epoch_keys[0]}
        note = own.note_zone(self._zone.zone, self._ana.user, "private", keys)
        own.commit(records=[note])
        self.story.append(f"known keys: {sorted(keys)}")

    # --- copies and damage

    def _copy(self, first: int, last: int) -> None:
        """Stores spare copies of some entries, each alone or with the entries before it."""
        key = self._dice.choice(self._epoch_keys)
        for at in range(first, last + 1):
            entries = [stored for _, stored in self._entries[first : at + 1]]
            part = entries[-self._dice.choice([1, len(entries)]) :]
            self._zone.put_copy(key, part, at + 2)
        self.story.append(f"copies of {first + 2} to {last + 2}")

    def _damage(self) -> None:
        dice = self._dice
        at = dice.randrange(len(self._entries))
        place, stored = self._entries[at]
        how = dice.choice(["gone", "rubbish", "altered", "fork", "fork", "run"])
        self.story.append(f"{how} at {at + 2}")
        if how == "run":
            for place, _ in self._entries[at : at + dice.randint(2, 5)]:
                self._container.delete(place)
            return
        spoil(self._container, place, how, stored, dice)
        if how == "fork":
            by = self._dice.randrange(2)
            self._container.put_if_absent(place, self._forks[at][by])
            self.story.append(f"by {'Ana' if by == 0 else 'Bob'}")

    def _other(self, who: Signer, read: ReadZone) -> bytes:
        """Returns another entry for the next place. It is valid there if that person may write."""
        writer = self._writer(who)
        if read.state.header.epoch not in read.keys:
            return self._dice.randbytes(40)
        name = b"fork %d" % self._dice.randrange(1000)
        return writer.seal(read, writer.body(read.state, **writer.file(name, name)))


class DamagedPublic:
    """The public zone of a person. Each entry is at a place that only the entry before it locks."""

    def __init__(
        self, container: Container, book: Book, author: Signer, dice: random.Random, site: bytes
    ) -> None:
        self._container, self._author, self._dice, self._site = container, author, dice, site
        self._zone = ZoneWriter.publish(container, book, author, dice)
        self._entries = 1
        self.story = ["public"]

    def play(self) -> None:
        """Writes entries, and then damages the log or not."""
        dice = self._dice
        for number in range(dice.randint(1, 6)):
            what = dice.choice(["file", "file", "revoke", "goes_on"])
            is_over = self._zone.read().ends_here
            if what == "file":
                self._zone.commit(**self._zone.file(b"p%d" % number, b"public %d" % number))
            elif what == "revoke":
                self._zone.commit(share=[change(revoke_device=dice.randbytes(16))])
            elif self._zone.read().state.header.site is None:
                site = schema.make("Site", id=self._site, location="/there")
                self._zone.commit(share=[change(goes_on=site)])
            else:
                continue
            self._entries += 1
            self.story.append(f"{self._entries}: {what}")
            if is_over:
                break  # nothing else fits behind an end but one entry
        if dice.random() < 0.7:
            self._damage(dice.randint(1, self._entries))

    def _damage(self, number: int) -> None:
        dice, place = self._dice, self._zone.public_place(number)
        stored = self._container.get(place) or b""
        how = dice.choice(["gone", "rubbish", "altered", "elsewhere", "fork"])
        self.story.append(f"{how} at {number}")
        if how == "elsewhere":
            # Nothing reads an object that fits no lock.
            folder = place.rpartition("/")[0]
            self._container.put_if_absent(f"{folder}/{dice.randbytes(16).hex()}", stored)
            return
        fork = self._fork()
        spoil(self._container, place, how, stored, dice)
        if how == "fork":
            self._container.put_if_absent(place, fork)

    def _fork(self) -> bytes:
        """Returns an entry that the author signed for the place behind the last entry."""
        read = self._zone.read()
        return self._zone.seal(read, self._zone.body(read.state, **self._zone.file(b"f", b"f")))


def make(folder: str, seed: int, count: int) -> None:
    """Makes that many containers, each in a folder of its own, with a story of its damage."""
    for number in range(count):
        path = Path(folder) / str(number)
        path.mkdir(parents=True)
        world = DamagedWorld(str(path), seed * 100_000 + number)
        world.play()
        (path / "story").write_text("\n".join(world.story) + "\n")
