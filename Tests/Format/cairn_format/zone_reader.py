"""READING a zone's log, from a floor or the first place on, with spare copies and anchors."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import schema
from .container import Container, public_folder, zone_folder
from .floors import Floor, FloorReader, Past
from .fold import judge, take
from .fold_share import Rights
from .hashes import box_public
from .keyring import Secrets, find_next_key
from .log import COPIES, Authors, Opened, check_boxes, copy_name, end_name, entry_digest
from .log import open_entry, place_name
from .people import lock_of
from .problems import Disputed, FormatProblem, Invalid
from .state import Header, ZoneState
from .wire import Message

PLACE = re.compile(r"[0-9a-f]{32}\Z")
RUN = 9  # the number of places that are read behind an empty one (L5)


@dataclass
class ReadZone:
    """A zone, read as far as its log goes."""

    state: ZoneState
    keys: dict[int, bytes]
    held: str | None = None  # the object at the next place, if that isn't free
    digests: dict[int, bytes] = field(default_factory=dict)  # of entries, by place
    past: Past | None = None  # the past versions in the floor that it began with
    floor: int | None = None  # the checkpoint that it began with
    from_copies: list[int] = field(default_factory=list)
    ends_here: bool = False  # this reader lacks the next key, or the log goes on elsewhere


@dataclass
class Judged:
    """An entry that is valid as the next one, with the next epoch's key if this reader gets it."""

    opened: Opened
    next_key: bytes | None


@dataclass
class Proof:
    """The digest that the entry of a place must have."""

    place: int
    digest: bytes
    is_trusted: bool  # all standing objects give way to the entries that lead there


@dataclass
class End:
    """The entry that ended an epoch, as the end-of-epoch record shows it."""

    place: int
    stored: bytes
    opened: Opened


class ZoneReader:
    """Reads one zone with the given keys.

    The next place is free (the end of the log), or has a valid entry, which is applied, or is held.
    """

    def __init__(
        self, container: Container, zone: bytes, founder: bytes, keys: dict[int, bytes],
        secrets: Secrets, authors: Authors, anchor: tuple[int, bytes] | None = None,
        first_lock: bytes | None = None, owner: bytes | None = None,
    ) -> None:
        """`first_lock` is the lock of the first place of a public zone, from its author's chain.
        Without it, the zone belongs to a share. `owner` is the present owner, as far as the reader
        knows."""
        self._container = container
        self._zone = zone
        self._is_public = first_lock is not None
        self._first_lock = first_lock or b""
        self._founder = founder
        self._owners = {founder, owner or founder}
        self._folder = zone_folder(zone, founder)
        self._first_keys = keys
        self._secrets = secrets
        self._authors = authors
        self._anchor = anchor
        self._chosen: dict[int, bytes] = {}  # the entries that copies give, by place

    def read(self, from_floors: bool = True) -> ReadZone:
        """Replays as far as the log goes, from the highest valid floor or from place 1."""
        problem: Disputed | None = None
        for floor in self._floors() if from_floors else []:
            read = self._read(floor)
            # F3: the log contains the floor's entry, and reaches the newest epoch whose key was
            # given.
            reached = read.state.header.floor
            is_folded = reached is not None and reached[0] >= floor.told.checkpoint
            reaches = read.state.header.epoch >= max(self._first_keys)
            if is_folded and reaches and not self._is_ended_below(read, floor.told.checkpoint):
                return read
            problem = Disputed(f"the log doesn't say what a floor at {floor.told.checkpoint} says")
        read = self._read(None)
        if problem is not None and read.state.sequence == 0:
            raise problem
        return read

    def _read(self, floor: Floor | None) -> ReadZone:
        """Reads from one floor on, or from place 1."""
        self._chosen = {}
        read = ReadZone(ZoneState(self._zone, self._is_public), dict(self._first_keys))
        read.state.header.is_public = self._is_public
        if floor is not None:
            read.state, read.past, read.floor = floor.state, floor.past, floor.told.checkpoint
            read.digests, read.keys = dict(floor.digests), dict(self._known_keys())
        while not read.ends_here and self._step(read):
            pass
        if self._anchor is not None:
            place, digest = self._anchor
            is_below = read.floor is not None and place <= read.floor
            if not is_below and read.digests.get(place) != digest:
                raise Disputed(f"the log doesn't pass through the anchor at {place}")
        return read

    # --- floors

    def _floors(self) -> Iterator[Floor]:
        """F1, F2: yields the valid floors, the newest epoch first, and in each the highest
        checkpoint."""
        if self._is_public:
            return
        keys = self._known_keys()
        floors = FloorReader(self._container, self._folder, self._zone, self._founder, keys)
        for told in floors.told():
            try:
                yield floors.read(told, self._entry_at, self._may_raise_floor, self._anchor)
            except FormatProblem:
                continue

    def _known_keys(self) -> dict[int, bytes]:
        """The given keys, and those of later epochs from end-of-epoch records. The entries that
        raised these epochs may be gone."""
        return self._handed_on(self._first_keys)

    def _handed_on(self, known: dict[int, bytes]) -> dict[int, bytes]:
        """Returns keys, with those of later epochs that end-of-epoch records give to this
        person."""
        keys = dict(known)
        while keys:
            last = max(keys)
            name = end_name(keys[last], self._zone)
            data = self._container.get(f"{self._folder}/copies/{name}")
            try:
                mark = schema.decode("LogCopies", data or b"")
                stored = mark.entries[-1] if mark.entries else b""
                opened = open_entry(stored, self._zone, mark.place, keys, self._authors)
                next_key = find_next_key(opened, self._zone, keys, self._secrets)
            except FormatProblem:
                return keys
            if opened.epoch != last or next_key is None:
                return keys
            keys[last + 1] = next_key
        return keys

    def _is_ended_below(self, read: ReadZone, checkpoint: int) -> bool:
        """F3: returns true if the owner ended the epoch in force before the floor."""
        try:
            end = self._mark(read)
        except Invalid:
            return False
        if end is None or end.place > checkpoint:
            return False
        author = end.opened.commit
        owners = {*self._owners, read.state.header.owner}
        return author.user in owners and not self._authors.has_revoked(author.user, author.device)

    def _entry_at(self, place: int, stored: bytes) -> Opened | None:
        """Returns an entry that is stored at its place, under the key of its epoch."""
        keys = self._known_keys()
        try:
            opened = open_entry(stored, self._zone, place, keys, self._authors)
        except FormatProblem:
            return None
        name = place_name(keys[opened.epoch], self._zone, place)
        return opened if self._container.get(f"{self._folder}/log/{name}") == stored else None

    def _may_raise_floor(self, opened: Opened, place: int) -> bool:
        """Returns true if the author is the owner or founder, as far as the reader knows. The
        inviter has also verified all entries up to an anchor, if they gave the first key."""
        if opened.commit.user in self._owners:
            return True
        return 1 in self._first_keys and self._anchor is not None and self._anchor[0] >= place

    def _step(self, read: ReadZone) -> bool:
        """Applies the next entry. Returns False at the end, and at a held place."""
        number = read.state.sequence + 1
        self._follow_end(read, number)
        stored, problem = self._chosen.get(number), None
        if stored is not None:
            read.from_copies.append(number)
        else:
            stored = self._standing(read, number)
        judged = self._judged(read, stored) if stored is not None else None
        contradictor = None
        if isinstance(judged, Judged):
            if number not in self._chosen:
                contradictor = self._contradictor(read, judged)
            if contradictor is None:
                self._take(read, judged)
                return True
            problem = "the entry behind it names another one in its place"
        elif judged is not None:
            problem = str(judged)
        try:
            proofs = self._proofs(read, number)
        except Invalid as rubbish:
            proofs, problem = [], str(rubbish)
        for proof in proofs:
            if number not in self._chosen and self._go_round(read, number, proof):
                return True
        if proofs:
            problem = problem or "it is missing, though later entries are there"
        if contradictor is not None and isinstance(judged, Judged):
            if self._stands(read, stored, judged.opened.commit, contradictor):
                self._take(read, judged)
                return True
        read.held = f"place {number}: {problem}" if problem is not None else None
        return False

    def _standing(self, read: ReadZone, number: int) -> bytes | None:
        if self._is_public:
            return self._locked(read)
        key = read.keys.get(read.state.header.epoch)
        if key is None:
            raise Invalid(f"no key of epoch {read.state.header.epoch}")
        return self._container.get(f"{self._folder}/log/{place_name(key, self._zone, number)}")

    def _locked(self, read: ReadZone) -> bytes | None:
        """Returns the object at the next place of a public zone: the one object whose name fits the
        lock. Nothing else in the folder is read."""
        lock = read.state.header.lock if read.state.sequence else self._first_lock
        folder = public_folder(self._founder)
        for name in self._container.names(folder):
            if PLACE.match(name) and lock_of(name) == lock:
                return self._container.get(f"{folder}/{name}")
        return None

    def _judged(self, read: ReadZone, stored: bytes) -> "Judged | FormatProblem":
        """Returns the entry if it is valid as the next one, or the problem with it."""
        state = read.state
        try:
            opened = open_entry(
                stored, self._zone, state.sequence + 1, read.keys, self._authors, self._is_public
            )
            genesis = opened.commit.genesis
            if genesis is not None and genesis.owner != self._founder:
                raise Invalid("the genesis of somebody else")
            header = judge(state, opened.commit, opened.epoch)
            next_key = None
            if opened.commit.next_key:
                next_key = find_next_key(opened, self._zone, read.keys, self._secrets)
                if next_key is not None:
                    check_boxes(opened, self._zone, header.recipients(), next_key)
                elif self._is_in(header):
                    raise Invalid("who is in the state after it finds no box")
        except FormatProblem as problem:
            return problem
        return Judged(opened, next_key)

    def _take(self, read: ReadZone, judged: "Judged") -> None:
        opened = judged.opened
        take(read.state, opened.commit, opened.epoch, opened.digest)
        read.digests[read.state.sequence] = opened.digest
        if opened.commit.next_key:
            read.ends_here = judged.next_key is None
            if judged.next_key is not None:
                read.keys[opened.epoch + 1] = judged.next_key
        site = read.state.header.site
        if site is not None and self._container.ends_at(site[0]):
            read.ends_here = True

    def _is_in(self, header: Header) -> bool:
        """Returns true if the reader is in the state, as a person or by one of their keys. A
        revoked device isn't in, though its person is."""
        secrets = self._secrets
        if secrets.user is not None and header.has(secrets.user):
            return (secrets.user, secrets.device) not in header.revoked
        own = {box_public(secret) for secret in self._secrets.encryption}
        return bool(own & header.recipients())

    # --- spare copies

    def _contradictor(self, read: ReadZone, judged: "Judged") -> bytes | None:
        """Returns the author of an entry behind it that names another one, if they have rights.
        Then nobody may go on from the present entry."""
        state = read.state
        if self._is_public or not state.is_founded:
            return None
        number, epoch = state.sequence + 2, state.header.epoch
        stored = self._standing(read, number)
        behind = self._opened(read, stored, number) if stored is not None else None
        if behind is None or behind.commit.previous == judged.opened.digest:
            return None
        commit = judged.opened.commit
        header = judge(state, commit, epoch) if commit.next_key else state.header
        author = behind.commit
        if self._authors.has_revoked(author.user, author.device):
            return None
        return author.user if self._is_believed(behind, header) else None

    def _stands(
        self, read: ReadZone, stored: bytes | None, commit: Message, contradictor: bytes
    ) -> bool:
        """Returns true if an entry that raises the epoch is applied all the same, as L6 says."""
        if not commit.next_key:
            return False
        owner = read.state.header.owner
        if commit.user == owner and contradictor != owner:
            if not self._authors.has_revoked(commit.user, commit.device):
                return True
        if self._anchor is not None and self._anchor[0] > read.state.sequence + 1:
            return True
        end = self._end_or_none(read)
        return end is not None and end.stored == stored

    @staticmethod
    def _is_believed(opened: Opened, header: Header) -> bool:
        """Returns true for a signed entry whose author has the rights in L4."""
        author = opened.commit.user
        rights = Rights(header, author)
        is_revoked = (author, opened.commit.device) in header.revoked
        return (rights.may_write or rights.may_administer) and not is_revoked

    def _opened(self, read: ReadZone, stored: bytes, number: int) -> Opened | None:
        """Returns an entry of that place that opens under a known key and is signed."""
        try:
            return open_entry(
                stored, self._zone, number, read.keys, self._authors, self._is_public
            )
        except FormatProblem:
            return None

    def _proofs(self, read: ReadZone, number: int) -> list[Proof]:
        """Returns the proofs for the log's continuation from a place, by priority: an anchor, the
        end-of-epoch record, later standing entries."""
        if self._is_public or not read.state.is_founded:
            return []
        found: list[Proof] = []
        if self._anchor is not None and self._anchor[0] >= number:
            found.append(Proof(*self._anchor, is_trusted=True))
        end = self._end_or_none(read)
        if end is not None and end.place > number:
            found.append(self._proof_of(read, end))
        late: list[Proof] = []
        for place in range(number + 1, number + RUN + 1):
            for epoch in sorted(read.keys, reverse=True):
                name = place_name(read.keys[epoch], self._zone, place)
                stored = self._container.get(f"{self._folder}/log/{name}")
                opened = self._opened(read, stored, place) if stored is not None else None
                if opened is None or opened.epoch != epoch:
                    continue
                if self._is_believed(opened, read.state.header):
                    author = opened.commit
                    is_revoked = self._authors.has_revoked(author.user, author.device)
                    proof = Proof(place - 1, author.previous, is_trusted=False)
                    (late if is_revoked else found).append(proof)
        if not found and not late:
            self._end(read)  # raises if the end-of-epoch record is wrong
        return found + late

    def _follow_end(self, read: ReadZone, number: int) -> None:
        """L5: an epoch that is over is read by the entry that ended it."""
        if self._is_public or number in self._chosen:
            return
        end = self._end_or_none(read)
        if end is None or end.place < number:
            return
        if self._go_round(read, number, self._proof_of(read, end)):
            self._chosen[end.place] = end.stored

    def _proof_of(self, read: ReadZone, end: End) -> Proof:
        """Returns the proof of an epoch's end. If the owner ended the epoch, everything before
        gives way."""
        header, author = read.state.header, end.opened.commit
        owner = header.owner if read.state.is_founded else self._founder
        is_revoked = self._authors.has_revoked(author.user, author.device)
        return Proof(end.place - 1, author.previous, author.user == owner and not is_revoked)

    def _end_or_none(self, read: ReadZone) -> End | None:
        try:
            return self._end(read)
        except Invalid:
            return None

    def _end(self, read: ReadZone) -> End | None:
        """Returns the end in the end-of-epoch record. It counts only if the record's entry is
        stored at its place."""
        end = self._mark(read)
        if end is None or end.place <= read.state.sequence:
            return None
        return end if self._standing(read, end.place) == end.stored else None

    def _mark(self, read: ReadZone) -> End | None:
        """Returns the entry in the record of the end of the epoch in force."""
        key = read.keys.get(read.state.header.epoch)
        if key is None:
            return None
        data = self._container.get(f"{self._folder}/copies/{end_name(key, self._zone)}")
        if data is None:
            return None
        try:
            mark = schema.decode("LogCopies", data)
        except FormatProblem as problem:
            raise Invalid(f"the mark of the epoch's end: {problem}") from problem
        if mark.format != 1 or not mark.entries:
            raise Invalid("the mark of the epoch's end holds no entry")
        stored = mark.entries[-1]
        opened = self._opened(read, stored, mark.place)
        if opened is None or not opened.commit.next_key or opened.epoch != read.state.header.epoch:
            raise Invalid("the mark of the epoch's end names no entry that raises it")
        return End(mark.place, stored, opened)

    def _copy(self, read: ReadZone, digest: bytes) -> bytes | None:
        """L7: returns the spare copy of an entry, under the known keys first, then under those from
        end-of-epoch records."""
        found = self._copy_under(read.keys, digest)
        if found is not None:
            return found
        later = {e: k for e, k in self._handed_on(read.keys).items() if e not in read.keys}
        return self._copy_under(later, digest)

    def _copy_under(self, keys: dict[int, bytes], digest: bytes) -> bytes | None:
        for epoch in sorted(keys, reverse=True):
            for i in range(COPIES):
                name = copy_name(keys[epoch], self._zone, digest, i)
                data = self._container.get(f"{self._folder}/copies/{name}")
                if data is None:
                    break
                try:
                    copies = schema.decode("LogCopies", data)
                except FormatProblem:
                    continue
                if copies.format == 1 and copies.entries:
                    if entry_digest(copies.entries[-1]) == digest:
                        return copies.entries[-1]
        return None

    def _go_round(self, read: ReadZone, number: int, proof: Proof) -> bool:
        """L5, L6: walks back from the proof to the last entry that was applied, through places and
        copies. Their entries count from then on. A standing entry, valid or not, gives way only to
        an entry of its own device, or if its device is revoked, or if the proof is trusted."""
        place, wanted = proof.place, proof.digest
        found: dict[int, bytes] = {}
        while place >= number:
            entry = self._standing(read, place)
            if entry is None or entry_digest(entry) != wanted:
                entry = self._copy(read, wanted)
            opened = self._opened(read, entry, place) if entry is not None else None
            if entry is None or opened is None:
                return False
            if not proof.is_trusted and self._displaces(read, place, entry, opened):
                return False
            found[place], wanted = entry, opened.commit.previous
            place -= 1
        if wanted != (read.state.head if read.state.sequence else bytes(32)):
            return False
        self._chosen.update(found)
        return True

    def _displaces(self, read: ReadZone, place: int, entry: bytes, opened: Opened) -> bool:
        """Returns true if an entry would replace a standing one that another device signed."""
        name = place_name(read.keys[opened.epoch], self._zone, place)
        stored = self._container.get(f"{self._folder}/log/{name}")
        standing = self._opened(read, stored, place) if stored is not None else None
        if standing is None or stored == entry:
            return False
        one, two = opened.commit, standing.commit
        if self._authors.has_revoked(two.user, two.device):
            return False
        return (one.user, one.device) != (two.user, two.device)
