"""Changes of the share."""

from .bounds import MAXIMUM_TITLE
from .problems import Invalid
from .state import ADMINISTRATOR, INVITED, JOINED, NONE, READ_ONLY, READ_WRITE
from .state import Header, Link, Participant, Share, Stamp
from .wire import Message

MAXIMUM_INVITED = 100
MAXIMUM_LINKS = 200
MAXIMUM_BLOCKED = 1000
OF_ZONE = (
    "offer", "take_over", "purge", "quota", "revoke_device", "minimum_version", "carry", "checkpoint",
    "floor", "history", "retire", "forget", "close_past", "goes_on", "succession", "confirm",
)


class Rights:
    """A person's rights. They are those before the commit."""

    def __init__(self, header: Header, user: bytes) -> None:
        share = header.share
        participant = share.participants.get(user) if share is not None else None
        self.is_owner = user == header.owner and not header.purged and not header.is_public
        self.is_pending = participant is not None and not participant.is_accepted
        self.is_accepted = participant is not None and participant.is_accepted
        is_administrator = self.is_accepted and participant.role == ADMINISTRATOR
        self.may_administer = self.is_owner or is_administrator
        may_write = self.is_accepted and participant.permission == READ_WRITE
        publishes = header.is_public and user == header.founder
        self.may_write = self.is_owner or may_write or publishes
        if header.purged:
            self.is_pending = self.is_accepted = False
            self.may_administer = self.may_write = False


class ShareChanges:
    """Applies the changes of the share itself to a copy of the header, in their order. It skips the
    changes of the zone as a whole."""

    def __init__(self, header: Header, rights: Rights, commit: Message, stamp: Stamp) -> None:
        self._header = header
        self._rights = rights
        self._commit = commit
        self._author: bytes = commit.user
        self._stamp = stamp
        self._closings = list(header.closings)  # closings of earlier commits

    def apply(self) -> None:
        """Applies all changes."""
        for change in self._commit.share:
            which = change.which("change")
            if self._header.is_public and which not in ("revoke_device", "goes_on"):
                raise Invalid("a change of the share of a public zone")
            if which in OF_ZONE:
                continue
            if which != "title" and self._header.share is None:
                raise Invalid("there is no share")
            getattr(self, "_" + which)(getattr(change, which))
        share = self._header.share
        if share is not None:
            offered = share.participants.get(share.offered)
            if offered is None or not offered.is_accepted:
                share.offered = b""
            if share.succession is not None:
                people = share.participants.items()
                share.succession.keep({user for user, each in people if each.is_accepted})
                if not share.succession.people:
                    share.succession = None

    # --- small rules

    @property
    def _share(self) -> Share:
        share = self._header.share
        if share is None:
            raise Invalid("there is no share")
        return share

    def _by_owner(self) -> None:
        if not self._rights.is_owner:
            raise Invalid("not by the owner")

    def _by_administrator(self) -> None:
        if not self._rights.may_administer:
            raise Invalid("not by those who administer")

    def _check_policy(self, permission: int) -> None:
        only = self._share.only_permission
        if permission != NONE and only not in (0, permission):
            raise Invalid("a permission that the policy doesn't give")

    def _check_giving(self, permission: int) -> None:
        if permission == READ_WRITE and not self._rights.may_write:
            raise Invalid("a permission that the author doesn't have")

    def _check_count(self) -> None:
        one_time = sum(1 for each in self._share.links.values() if each.one_time)
        if len(self._share.participants) + one_time > MAXIMUM_INVITED:
            raise Invalid("too many participants")

    def _check_first_epoch(self, first: int) -> None:
        if first and first - 1 not in (epoch for _, epoch in self._closings):
            raise Invalid("a first epoch before which the past wasn't closed")

    def _named_people_only(self) -> None:
        if self._share.public_permission != NONE:
            raise Invalid("while people may join by a link for anyone")

    # --- the changes, as the page lists them

    def _title(self, title: str) -> None:
        self._by_owner()
        if not title:
            raise Invalid("an empty title")
        if len(title.encode()) > MAXIMUM_TITLE:
            raise Invalid("a title that is too long")
        if self._header.share is None:
            self._header.share = Share(title, self._stamp)
        self._share.title = title

    def _invite(self, invited: Message) -> None:
        share, rights = self._share, self._rights
        known = share.participants.get(invited.user)
        if not rights.may_administer:
            if not (share.participants_invite and rights.is_accepted and known is None):
                raise Invalid("not by those who may invite")
        self._check_giving(invited.permission)
        self._named_people_only()
        if invited.user == self._header.owner or invited.user in share.blocked:
            raise Invalid("the owner, or somebody who is blocked")
        if invited.permission == NONE or share.access == 2:
            raise Invalid("no permission, or nobody is invited")
        self._check_policy(invited.permission)
        self._check_first_epoch(invited.first_epoch)
        if known is not None:
            known.permission = invited.permission
            return
        share.participants[invited.user] = Participant(
            INVITED, invited.permission, False, invited.first_epoch
        )
        self._check_count()

    def _accept(self, _: bool) -> None:
        participant = self._share.participants.get(self._author)
        if participant is None:
            raise Invalid("not by a participant")
        participant.is_accepted = True

    def _remove(self, user: bytes) -> None:
        is_leaving = self._rights.is_accepted and user == self._author
        if not is_leaving:
            self._by_administrator()
        if user == self._header.owner or user not in self._share.participants:
            raise Invalid("nobody who is in the share")
        del self._share.participants[user]
        if not is_leaving:
            self._share.drop_links_for_anyone()

    def _stop(self, _: bool) -> None:
        self._by_owner()
        self._header.share = None

    def _permission(self, given: Message) -> None:
        self._by_administrator()
        self._check_giving(given.permission)
        participant = self._invited(given.user)
        if given.permission == NONE:
            raise Invalid("no permission")
        self._check_policy(given.permission)
        participant.permission = given.permission

    def _role(self, given: Message) -> None:
        self._by_owner()
        self._invited(given.user).role = ADMINISTRATOR if given.role == 2 else INVITED

    def _invited(self, user: bytes) -> Participant:
        participant = self._share.participants.get(user)
        if participant is None or participant.role == JOINED:
            raise Invalid("nobody who was invited")
        return participant

    def _public_permission(self, permission: int) -> None:
        self._by_administrator()
        self._check_giving(permission)
        share = self._share
        before = share.public_permission
        if permission == before:
            return
        if permission != NONE and share.access == 3:
            raise Invalid("named people only, says the policy")
        self._check_policy(permission)
        share.public_permission = permission
        if permission == NONE:
            share.participants, share.links = {}, {}
        elif before == NONE:
            accepted = {u: each for u, each in share.participants.items() if each.is_accepted}
            share.participants, share.links = accepted, {}
            for each in accepted.values():
                each.role = JOINED
        elif (before, permission) == (READ_WRITE, READ_ONLY):
            share.drop_links_for_anyone()
        for each in share.participants.values():
            each.permission = permission

    def _link(self, link: Message) -> None:
        self._by_administrator()
        share = self._share
        if len(share.links) >= MAXIMUM_LINKS or link.id in share.links:
            raise Invalid("too many links, or this one is there")
        if link.one_time:
            self._check_giving(link.permission)
            self._named_people_only()
            if link.permission == NONE or share.access == 2:
                raise Invalid("a link for one person that can't be made")
            self._check_policy(link.permission)
        elif share.public_permission == NONE:
            raise Invalid("a link for anyone, and nobody may join by it")
        self._check_first_epoch(link.first_epoch)
        share.links[link.id] = Link(
            link.box_key, link.one_time, link.permission, link.expires, link.first_epoch
        )
        if link.one_time:
            self._check_count()

    def _remove_link(self, id: bytes) -> None:
        self._by_administrator()
        if self._share.links.pop(id, None) is None:
            raise Invalid("no such link")

    def _claim(self, claim: Message) -> None:
        share = self._share
        known = share.participants.get(self._author)
        if self._author == self._header.owner or (known is not None and known.is_accepted):
            raise Invalid("by somebody who is in")
        if self._author in share.blocked or claim.link not in share.links:
            raise Invalid("blocked, or no such link")
        link = share.links[claim.link]
        if link.expires is not None and self._commit.time > link.expires:
            raise Invalid("a link that expired")
        role, permission = JOINED, share.public_permission
        if link.one_time:
            role, permission = INVITED, link.permission
            del share.links[claim.link]
        share.participants[self._author] = Participant(
            role, permission, True, link.first_epoch
        )
        if not link.one_time and known is None:
            self._check_count()

    def _access_requests(self, value: int) -> None:
        self._by_administrator()
        self._share.access_requests = value

    def _block(self, user: bytes) -> None:
        self._by_administrator()
        if user in (self._header.owner, self._author):
            raise Invalid("neither the owner nor themself")
        if len(self._share.blocked) >= MAXIMUM_BLOCKED:
            raise Invalid("too many are blocked")
        self._share.blocked.add(user)
        self._share.participants.pop(user, None)
        self._share.drop_links_for_anyone()

    def _unblock(self, user: bytes) -> None:
        self._by_administrator()
        if user not in self._share.blocked:
            raise Invalid("somebody who isn't blocked")
        self._share.blocked.discard(user)

    def _policy(self, policy: Message) -> None:
        self._by_owner()
        share = self._share
        share.access, share.only_permission = policy.access, policy.permission
        share.participants_invite = policy.participants_invite


def apply_keys(before: Header, after: Header, commit: Message) -> None:
    """Checks `keys`. Each key names the author, or a new participant that an `invite` of the commit
    adds. Afterwards each member has one key, and nobody else has any."""
    if after.is_public:
        if commit.keys:
            raise Invalid("keys in a public zone")
        return
    invited = {each.invite.user for each in commit.share if each.invite is not None}
    for each in commit.keys:
        is_let_in = each.user in invited and not before.has(each.user)
        if not (each.user == commit.user or is_let_in) or not after.has(each.user):
            raise Invalid("a key of somebody whom the commit doesn't let in")
        after.keys[each.user] = each.key
    members = {after.owner} | (set(after.share.participants) if after.share else set())
    if not members <= set(after.keys):
        raise Invalid("a member without a key")
    after.keys = {user: key for user, key in after.keys.items() if user in members}
