"""Changes of the zone as a whole. They take effect after all other changes of the share."""

from .contents import pack_names
from .fold_share import OF_ZONE, Rights
from .problems import Invalid
from .people import is_location
from .state import INVITED, JOINED, NONE, READ_WRITE
from .state import Header, Participant, Stamp, Succession, ZoneState
from .wire import Message, without_extra

MAXIMUM_CHECKPOINTS = 64
MAXIMUM_CLOSINGS = 256


class ZoneChanges:
    """Applies these changes to a copy of the header, in their order."""

    def __init__(self, header: Header, rights: Rights, commit: Message, state: ZoneState) -> None:
        self._header = header
        self._rights = rights
        self._commit = commit
        self._state = state  # before the commit
        self._place = state.sequence + 1
        self.retired: set[bytes] = set()  # chunks that are removed

    def apply(self) -> None:
        """Applies all changes."""
        for change in self._commit.share:
            which = change.which("change")
            if which in OF_ZONE:
                getattr(self, "_" + which)(getattr(change, which))

    def _by_owner(self) -> None:
        if not self._rights.is_owner:
            raise Invalid("not by the owner")

    # --- the changes, as the page lists them

    def _offer(self, user: bytes) -> None:
        share = self._header.share
        is_declined = share is not None and not user and share.offered == self._commit.user
        if not is_declined:
            self._by_owner()
        if share is None:
            raise Invalid("there is no share")
        if user:
            self._check_heir(user)
        share.offered = user

    def _check_heir(self, user: bytes) -> None:
        share = self._header.share
        heir = share.participants.get(user) if share is not None else None
        if heir is None or not heir.is_accepted:
            raise Invalid("to somebody who isn't an accepted participant")
        if heir.first_epoch:
            raise Invalid("to somebody who doesn't see all of the past")

    def _take_over(self, _: bool) -> None:
        share, header, user = self._header.share, self._header, self._commit.user
        if share is None:
            raise Invalid("there is no share")
        succession = share.succession
        succeeds = succession is not None and succession.may_take_over(user, self._place)
        if share.offered != user and not succeeds:
            raise Invalid("by somebody without the offer, or a confirmed claim")
        self._check_heir(user)
        share.offered, share.succession = b"", None
        del share.participants[user]
        by_link = share.public_permission != NONE
        permission = share.public_permission if by_link else READ_WRITE
        role = JOINED if by_link else INVITED
        share.participants[header.owner] = Participant(role, permission, True)
        header.owner = user

    def _succession(self, succession: Message) -> None:
        self._by_owner()
        share = self._header.share
        if share is None:
            raise Invalid("there is no share")
        people = successor_ids(succession.people)
        if not people:
            share.succession = None
            return
        if succession.needed <= len(people) // 2:
            raise Invalid("a claim that half of the successors could confirm")
        for user in people:
            self._check_heir(user)
        share.succession = Succession(set(people), succession.needed, succession.wait)

    def _confirm(self, claimant: bytes) -> None:
        share, commit = self._header.share, self._commit
        succession = share.succession if share is not None else None
        if succession is None or commit.user not in succession.people:
            raise Invalid("by somebody who is no successor")
        if claimant not in (b"", commit.user) and not succession.claims(claimant):
            raise Invalid("a claim that nobody made")
        before, _ = succession.confirmations.get(commit.user, (b"", None))
        if before == claimant:
            return
        succession.withdraw(commit.user)
        if claimant:
            stamp = Stamp(self._place, commit.user, commit.device, commit.time)
            succession.confirmations[commit.user] = (claimant, stamp)

    def _purge(self, _: bool) -> None:
        self._by_owner()
        self._header.purged = True
        self._header.share = None

    def _quota(self, quota: Message) -> None:
        self._by_owner()
        self._header.quota = quota.limit

    def _revoke_device(self, device: bytes) -> None:
        rights = self._rights
        is_in = rights.is_owner or rights.is_accepted or rights.is_pending
        if not (is_in or self._rights.may_write):
            raise Invalid("by somebody who has no right here")
        if device == self._commit.device:
            raise Invalid("the device that signs")
        self._header.revoked.add((self._commit.user, device))

    def _minimum_version(self, version: int) -> None:
        self._by_owner()
        if version < self._header.minimum_version:
            raise Invalid("a lower version than before")
        self._header.minimum_version = version

    def _carry(self, carried: int) -> None:
        self._by_owner()
        self._header.carry = carried

    def _checkpoint(self, _: bool) -> None:
        if not self._rights.may_administer:
            raise Invalid("not by those who administer")
        checkpoints = self._header.checkpoints
        if self._place not in checkpoints:
            checkpoints.append(self._place)
        del checkpoints[:-MAXIMUM_CHECKPOINTS]

    def _floor(self, floor: Message) -> None:
        self._by_owner()
        header = self._header
        if floor.checkpoint not in header.checkpoints or floor.checkpoint >= self._place:
            raise Invalid("a floor where no earlier commit made a checkpoint")
        if self._state.checkpoint_digests[floor.checkpoint] != floor.digest:
            raise Invalid("a floor of another state")
        before = header.floor[2] if header.floor is not None else 0
        if not before <= floor.forgotten <= floor.checkpoint:
            raise Invalid("a floor that forgets too much, or less than the one before")
        header.floor = (floor.checkpoint, floor.digest, floor.forgotten, floor.past)
        header.checkpoints = [each for each in header.checkpoints if each > floor.checkpoint]

    def _history(self, history: Message) -> None:
        self._by_owner()
        self._header.history = None if history.forever else without_extra(history)

    def _retire(self, retirement: Message) -> None:
        self._by_owner()
        if self._commit.records or self._commit.chunks:
            raise Invalid("a retirement beside changes of records, or chunks")
        header, state = self._header, self._state
        if sum(each.retire is not None for each in self._commit.share) > 1:
            raise Invalid("a second retirement in a commit")
        if retirement.generation <= header.generation:
            raise Invalid("a generation that isn't above the open one")
        header.generation = retirement.generation
        header.packs = set(pack_names(retirement.packs))
        needed = {name for record in state.records.values() for name in record.needed()}
        for name, chunk in state.chunks.items():
            if is_retired(chunk, header):
                self.retired.add(name)
            elif retirement.inline and not chunk.pack and name not in needed:
                self.retired.add(name)
        if needed & self.retired:
            raise Invalid("a chunk that a record needs would leave")

    def _close_past(self, _: bool) -> None:
        self._by_owner()
        commit, state, closings = self._commit, self._state, self._header.closings
        if not commit.next_key or commit.records or commit.chunks:
            raise Invalid("a past that is closed in the middle of an epoch, or beside changes")
        if closings and closings[-1][0] == self._place:
            return
        if len(closings) >= MAXIMUM_CLOSINGS:
            raise Invalid("a past that is closed too often")
        closings.append((self._place, self._header.epoch))
        needed = {name for record in state.records.values() for name in record.needed()}
        self.retired |= set(state.chunks) - needed

    def _goes_on(self, site: Message) -> None:
        commit, header = self._commit, self._header
        if not header.is_public:
            self._by_owner()
        if commit.records or commit.chunks or len(commit.share) != 1:
            raise Invalid("a last entry that says something else, too")
        if not header.is_public and not commit.next_key:
            raise Invalid("a last entry in the middle of an epoch")
        if not is_location(site.location):
            raise Invalid("a place that nobody can find")
        if header.site is not None and header.site[0] == site.id:
            raise Invalid("the place where the zone is kept")
        header.site = (site.id, site.location)

    def _forget(self, forgetting: Message) -> None:
        self._by_owner()
        places = place_numbers(forgetting.versions)
        if not places or not all(0 < place < self._place for place in places):
            raise Invalid("versions that aren't of the past, or none")


def place_numbers(places: bytes) -> list[int]:
    """Decodes a series of n(...), as on the page."""
    return [int.from_bytes(places[at : at + 8], "big") for at in range(0, len(places), 8)]


def successor_ids(people: bytes) -> list[bytes]:
    """Decodes the ids of successors."""
    return [people[at : at + 32] for at in range(0, len(people), 32)]


def is_retired(chunk: Message, header: Header) -> bool:
    """Returns true for a chunk in a pack that is older than the open ones and isn't kept."""
    is_old = bool(chunk.pack) and chunk.generation < header.generation
    return is_old and chunk.pack not in header.packs
