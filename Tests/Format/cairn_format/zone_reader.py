"""READING a zone's log: from place to place, with copies and anchors."""

from dataclasses import dataclass, field

from . import schema
from .container import Container, zone_folder
from .fold import judge, take
from .fold_share import Rights
from .hashes import box_public
from .keyring import Secrets, find_next_key
from .log import COPIES, Authors, Opened, check_boxes, copy_name, end_name, entry_digest
from .log import open_entry, place_name
from .problems import Disputed, FormatProblem, Invalid
from .state import Header, ZoneState

RUN = 9  # so many places behind one that holds nothing are looked at (L5)


@dataclass
class ReadZone:
    """A zone, read as far as its log goes."""

    state: ZoneState
    keys: dict[int, bytes]
    held: str | None = None  # what stands at the next place, if it isn't free
    digests: list[bytes] = field(default_factory=list)
    from_copies: list[int] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # in the public zone only
    ends_here: bool = False  # the next epoch's key isn't for this reader


@dataclass
class Judged:
    """An entry that is valid as the next one, with the next epoch's key if it is for us."""

    opened: Opened
    next_key: bytes | None


class ZoneReader:
    """Reads one zone with the keys that somebody has.

    "The next place is free (the end), or holds a valid entry (apply it), or it is held."
    """

    def __init__(
        self, container: Container, zone: bytes, founder: bytes | None, keys: dict[int, bytes],
        secrets: Secrets, authors: Authors, anchor: tuple[int, bytes] | None = None,
    ) -> None:
        self._container = container
        self._zone = zone
        self._is_public = founder is None
        self._folder = zone_folder(zone, founder)
        self._first_keys = keys
        self._secrets = secrets
        self._authors = authors
        self._anchor = anchor
        self._chosen: dict[int, bytes] = {}  # what copies say, by place

    def read(self) -> ReadZone:
        """Folds from 1 on, as far as the log goes."""
        read = ReadZone(ZoneState(self._zone, self._is_public), dict(self._first_keys))
        read.state.header.is_public = self._is_public
        while not read.ends_here and self._step(read):
            pass
        if self._anchor is not None:
            place, digest = self._anchor
            if not 1 <= place <= len(read.digests) or read.digests[place - 1] != digest:
                raise Disputed(f"the log doesn't pass through the anchor at {place}")
        return read

    def _step(self, read: ReadZone) -> bool:
        """Takes the next entry; False at the end, and where a place is held."""
        number = read.state.sequence + 1
        stored, problem = self._chosen.get(number), None
        if stored is not None:
            read.from_copies.append(number)
        else:
            stored = self._standing(read, number)
        judged = self._judged(read, stored) if stored is not None else None
        if isinstance(judged, Judged):
            if number in self._chosen or not self._is_disputed(read, judged):
                self._take(read, judged)
                return True
            problem = "the entry behind it names another one in its place"
        elif judged is not None:
            problem = str(judged)
            if self._is_public:
                self._skip(read, stored or b"", judged)
                return True
        try:
            proof = self._proof(read, number)
        except Invalid as rubbish:
            proof, problem = None, str(rubbish)
        if proof is not None:
            if number not in self._chosen and self._go_round(read, number, proof):
                return True
            problem = problem or "it is missing, though later entries are there"
        read.held = f"place {number}: {problem}" if problem is not None else None
        return False

    @staticmethod
    def _skip(read: ReadZone, stored: bytes, problem: FormatProblem) -> None:
        """In the public zone, whose places everybody can name, nobody may hold one: what isn't
        valid there is skipped, also by an author who may be seen later, and its digest is what
        the next entry names."""
        read.state.sequence += 1
        read.state.head = entry_digest(stored)
        read.digests.append(read.state.head)
        read.skipped.append(f"place {read.state.sequence}: {problem}")

    def _standing(self, read: ReadZone, number: int) -> bytes | None:
        key = read.keys.get(read.state.header.epoch)
        if key is None:
            raise Invalid(f"no key of epoch {read.state.header.epoch}")
        return self._container.get(f"{self._folder}/log/{place_name(key, self._zone, number)}")

    def _judged(self, read: ReadZone, stored: bytes) -> "Judged | FormatProblem":
        """The entry, if it is valid as the next one; or why it isn't."""
        state = read.state
        try:
            opened = open_entry(
                stored, self._zone, state.sequence + 1, read.keys, self._authors, self._is_public
            )
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

    @staticmethod
    def _take(read: ReadZone, judged: "Judged") -> None:
        opened = judged.opened
        take(read.state, opened.commit, opened.epoch, opened.digest)
        read.digests.append(opened.digest)
        if opened.commit.next_key:
            read.ends_here = judged.next_key is None
            if judged.next_key is not None:
                read.keys[opened.epoch + 1] = judged.next_key

    def _is_in(self, header: Header) -> bool:
        """Whether whoever reads is in the state: as a person, or by a key that they have. A
        device that was revoked isn't in, though its person is."""
        secrets = self._secrets
        if secrets.user is not None and header.has(secrets.user):
            return (secrets.user, secrets.device) not in header.revoked
        own = {box_public(secret) for secret in self._secrets.encryption}
        return bool(own & header.recipients())

    # --- copies

    def _is_disputed(self, read: ReadZone, judged: "Judged") -> bool:
        """Whether an entry by somebody with rights stands behind it and names another one: then
        nobody may go on from what stands here now."""
        state = read.state
        if self._is_public or not state.is_founded:
            return False
        number, epoch = state.sequence + 2, state.header.epoch
        stored = self._standing(read, number)
        behind = self._opened(read, stored, number) if stored is not None else None
        if behind is None or behind.commit.previous == judged.opened.digest:
            return False
        commit = judged.opened.commit
        header = judge(state, commit, epoch) if commit.next_key else state.header
        author = behind.commit
        if self._authors.has_revoked(author.user, author.device):
            return False
        return self._is_believed(behind, header)

    @staticmethod
    def _is_believed(opened: Opened, header: Header) -> bool:
        """Whether it is a signed entry, as L4 says."""
        author = opened.commit.user
        rights = Rights(header, author)
        is_revoked = (author, opened.commit.device) in header.revoked
        return (rights.may_write or rights.may_administer) and not is_revoked

    def _opened(self, read: ReadZone, stored: bytes, number: int) -> Opened | None:
        """An entry of that place that opens under a known key and is signed."""
        try:
            return open_entry(
                stored, self._zone, number, read.keys, self._authors, self._is_public
            )
        except FormatProblem:
            return None

    def _proof(self, read: ReadZone, number: int) -> tuple[int, bytes] | None:
        """What shows that the log goes on behind a place: the digest of the entry of some place
        from there on, as a standing entry, the mark of the epoch's end or an anchor names it."""
        if self._is_public or not read.state.is_founded:
            return None
        for place in range(number + 1, number + RUN + 1):
            for epoch in sorted(read.keys, reverse=True):
                name = place_name(read.keys[epoch], self._zone, place)
                stored = self._container.get(f"{self._folder}/log/{name}")
                opened = self._opened(read, stored, place) if stored is not None else None
                if opened is None or opened.epoch != epoch:
                    continue
                if self._is_believed(opened, read.state.header):
                    return place - 1, opened.commit.previous
        end = self._end(read)
        if end is not None and end[0] >= number:
            return end
        if self._anchor is not None and self._anchor[0] >= number:
            return self._anchor
        return None

    def _end(self, read: ReadZone) -> tuple[int, bytes] | None:
        """What the mark that the epoch has ended shows; it counts only if the entry that it
        holds stands at its place."""
        key = read.keys[read.state.header.epoch]
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
        if mark.place <= read.state.sequence or self._standing(read, mark.place) != stored:
            return None
        return mark.place - 1, opened.commit.previous

    def _copy(self, read: ReadZone, digest: bytes) -> bytes | None:
        """The copy of an entry: "under the keys it knows, newest epoch first, i ascending"."""
        for epoch in sorted(read.keys, reverse=True):
            for i in range(COPIES):
                name = copy_name(read.keys[epoch], self._zone, digest, i)
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

    def _go_round(self, read: ReadZone, number: int, proof: tuple[int, bytes]) -> bool:
        """L5, L6: walks back from the proof to the last entry that was taken, through places and
        copies; what they hold counts from then on. A standing entry, valid or not, gives way only
        to one of its own device."""
        place, wanted = proof
        found: dict[int, bytes] = {}
        while place >= number:
            entry = self._standing(read, place)
            if entry is None or entry_digest(entry) != wanted:
                entry = self._copy(read, wanted)
            opened = self._opened(read, entry, place) if entry is not None else None
            if entry is None or opened is None:
                return False
            if self._displaces(read, place, entry, opened):
                return False
            found[place], wanted = entry, opened.commit.previous
            place -= 1
        if wanted != read.state.head:
            return False
        self._chosen.update(found)
        return True

    def _displaces(self, read: ReadZone, place: int, entry: bytes, opened: Opened) -> bool:
        """Whether an entry would take the place of a standing one that another device signed."""
        name = place_name(read.keys[opened.epoch], self._zone, place)
        stored = self._container.get(f"{self._folder}/log/{name}")
        standing = self._opened(read, stored, place) if stored is not None else None
        if standing is None or stored == entry:
            return False
        one, two = opened.commit, standing.commit
        return (one.user, one.device) != (two.user, two.device)
