"""Random changes of the share, by any author."""

import random
from typing import Any

from . import schema
from .invitations import LinkSecret
from .state import Share, Stamp, ZoneState
from .wire import Message

NOW = 1_700_000_000_000_000_000
_KINDS = {
    "title": 3,
    "invite": 12,
    "accept": 6,
    "remove": 4,
    "stop": 0.7,
    "permission": 4,
    "role": 4,
    "public_permission": 3,
    "link": 7,
    "remove_link": 2,
    "claim": 6,
    "access_requests": 1,
    "block": 2,
    "unblock": 2,
    "offer": 3,
    "take_over": 2,
    "succession": 3,
    "confirm": 3,
    "purge": 0.05,
    "quota": 0.7,
    "revoke_device": 1,
    "policy": 1.5,
    "minimum_version": 0.2,
    "carry": 1.5,
    "checkpoint": 4,
    "floor": 3,
    "history": 1,
    "retire": 2,
    "forget": 1,
    "close_past": 1,
    "goes_on": 2,
}


# For a history about the kept parts of the zone, with fewer changes of permissions.
_KEPT_KINDS = {
    "title": 1, "invite": 2, "accept": 2, "quota": 0.5, "carry": 2, "checkpoint": 5, "floor": 5,
    "history": 1, "retire": 5, "forget": 1, "close_past": 2, "goes_on": 2,
}


class RandomShares:
    """Draws changes of the share, for an author."""

    def __init__(
        self, dice: random.Random, state: ZoneState, users: list[bytes],
        devices: dict[bytes, list[bytes]], links: list[bytes], is_calm: bool = False,
    ) -> None:
        self._kinds = _KEPT_KINDS if is_calm else _KINDS
        self._dice = dice
        self._state = state
        self._users = users
        self._devices = devices
        self._links = links

    def likely(self, author: bytes) -> str:
        """Returns a kind of change that this person may well be allowed to make now."""
        share = self._state.header.share
        if self._state.is_public and self._dice.random() < 0.9:
            return self._dice.choice(["revoke_device", "goes_on", "goes_on"])
        if share is None:
            return "title" if self._dice.random() < 0.6 else self._any()
        participant = share.participants.get(author)
        if participant is not None and not participant.is_accepted:
            return "accept" if self._dice.random() < 0.8 else self._any()
        if participant is None and author != self._state.header.owner and share.links:
            return "claim" if self._dice.random() < 0.8 else self._any()
        if author == share.offered and self._dice.random() < 0.5:
            return "take_over"
        if share.succession is not None and author in share.succession.people:
            if share.succession.may_take_over(author, self._state.sequence + 1):
                return self._dice.choice(["take_over", "confirm", self._any()])
            if self._dice.random() < 0.3:
                return "confirm"
        kind = self._any()
        while kind in ("accept", "claim", "unblock" if not share.blocked else "") and (
            self._dice.random() < 0.9
        ):
            kind = self._any()
        return kind

    def _any(self) -> str:
        return self._dice.choices(list(self._kinds), list(self._kinds.values()))[0]

    def change(self, kind: str, author: bytes) -> Message:
        """Returns a change of that kind."""
        if self._dice.random() < 0.01:
            return schema.make("ShareChange", **self._spoiled())
        return schema.make("ShareChange", **{kind: getattr(self, "_" + kind)(author)})

    # --- the people and values

    @property
    def _share(self) -> Share:
        return self._state.header.share or Share("", Stamp(0, b"", b"", 0))

    def _user(self) -> bytes:
        people = list(self._share.participants)
        if people and self._dice.random() < 0.6:
            return self._dice.choice(people)
        return self._dice.choice(self._users)

    def _permission_value(self) -> int:
        return self._dice.choices([1, 2, 3], [1, 10, 12])[0]

    def _first_epoch(self) -> int:
        """Mostly 0. Otherwise the first epoch that a person who came after a closing may see, and
        rarely another."""
        dice, closings = self._dice, self._state.header.closings
        if closings and dice.random() < 0.3:
            return dice.choice(closings)[1] + 1
        return dice.choice([1, 2, 2**64 - 1]) if dice.random() < 0.02 else 0

    def _link_id(self) -> bytes:
        if self._share.links and self._dice.random() < 0.9:
            return self._dice.choice(list(self._share.links))
        return self._dice.randbytes(32)

    # --- the kinds

    def _title(self, _: bytes) -> str:
        return self._dice.choices(["Trip", "Fotos — Rügen", ""], [8, 4, 1])[0]

    def _invite(self, _: bytes) -> Message:
        user = self._dice.choice(self._users)
        return schema.make(
            "ShareInvitation", user=user, permission=self._permission_value(),
            first_epoch=self._first_epoch(),
        )

    def _accept(self, _: bytes) -> bool:
        return True

    def _remove(self, author: bytes) -> bytes:
        return author if self._dice.random() < 0.2 else self._user()

    def _stop(self, _: bytes) -> bool:
        return True

    def _permission(self, _: bytes) -> Message:
        return schema.make(
            "ShareInvitation", user=self._user(), permission=self._permission_value()
        )

    def _role(self, _: bytes) -> Message:
        return schema.make("ShareRole", user=self._user(), role=self._dice.choice([2, 2, 3]))

    def _public_permission(self, _: bytes) -> int:
        return self._dice.choice([1, 1, 2, 3])

    def _link(self, _: bytes) -> Message:
        dice = self._dice
        secret = LinkSecret(dice.randbytes(32))
        self._links.append(secret.secret)
        one_time = self._share.public_permission == 1
        if dice.random() < 0.1:
            one_time = not one_time
        expires = dice.choice([None, None, NOW + 10**17, NOW + 10**15, NOW, -1])
        box_key = secret.box_key
        if dice.random() < 0.05:
            box_key = dice.choice([bytes(32), bytes([1]) + bytes(31), bytes([255]) * 32])
        id = self._link_id() if dice.random() < 0.05 else secret.id
        return schema.make(
            "ShareLink", id=id, box_key=box_key, one_time=one_time,
            permission=self._permission_value(), expires=expires,
            first_epoch=self._first_epoch(),
        )

    def _remove_link(self, _: bytes) -> bytes:
        return self._link_id()

    def _claim(self, author: bytes) -> Message:
        dice = self._dice
        known = {LinkSecret(each).id: LinkSecret(each) for each in self._links}
        living = [id for id in self._share.links if id in known]
        if living and dice.random() < 0.95:
            link = known[dice.choice(living)]
        else:
            link = dice.choice([*known.values(), LinkSecret(dice.randbytes(32))])
        user = author if dice.random() < 0.98 else dice.choice(self._users)
        return schema.make(
            "ShareClaim", link=link.id, proof=link.claim(self._state.zone, user)
        )

    def _access_requests(self, _: bytes) -> int:
        return self._dice.choice([1, 2])

    def _block(self, _: bytes) -> bytes:
        return self._dice.choice(self._users)

    def _unblock(self, _: bytes) -> bytes:
        blocked = list(self._share.blocked)
        return self._dice.choice(blocked or self._users)

    def _offer(self, _: bytes) -> bytes:
        return self._user() if self._dice.random() < 0.85 else b""

    def _take_over(self, _: bytes) -> bool:
        return True

    def _succession(self, _: bytes) -> Message:
        """Returns a decision, most of the time a valid one."""
        dice, people = self._dice, self._share.participants.items()
        heirs = [user for user, each in people if each.is_accepted and not each.first_epoch]
        count = dice.choice([0, 1, 1, 2, 3])
        chosen = set(dice.sample(sorted(heirs), min(count, len(heirs))))
        if dice.random() < 0.1:
            chosen.add(self._user())
        if not chosen:
            return schema.make("ShareSuccession")
        needed = len(chosen) // 2 + dice.choices([0, 1, 2], [1, 12, 1])[0]
        wait = dice.choice([0, 1_209_600, 2**64 - 1])
        return schema.make(
            "ShareSuccession", people=b"".join(sorted(chosen)), needed=needed, wait=wait
        )

    def _confirm(self, author: bytes) -> bytes:
        dice, succession = self._dice, self._share.succession
        claims = [] if succession is None else sorted(filter(succession.claims, succession.people))
        if claims and dice.random() < 0.6:
            return dice.choice(claims)
        return dice.choices([author, b"", self._user()], [6, 1, 1])[0]

    def _purge(self, _: bytes) -> bool:
        return True

    def _quota(self, _: bytes) -> Message:
        return schema.make("ShareQuota", limit=self._dice.choice([None, 0, 100, 2000, 2**63]))

    def _revoke_device(self, author: bytes) -> bytes:
        if self._dice.random() < 0.1:
            return self._dice.randbytes(16)
        return self._dice.choice(self._devices[author])

    def _policy(self, _: bytes) -> Message:
        dice = self._dice
        return schema.make(
            "SharePolicy", access=dice.choice([1, 1, 1, 2, 3]),
            permission=dice.choice([0, 0, 2, 3]), participants_invite=dice.random() < 0.5,
        )

    def _minimum_version(self, _: bytes) -> int:
        return self._dice.choice([0, 1, 1, 1, 2])

    def _carry(self, _: bytes) -> int:
        return self._dice.choices([0, 1, 2, 3, 4, 2**31 + 3], [4, 4, 4, 20, 1, 1])[0]

    def _checkpoint(self, _: bytes) -> bool:
        return True

    def _floor(self, _: bytes) -> Message:
        """Returns a floor at an existing checkpoint, most of the time a valid one."""
        dice, header = self._dice, self._state.header
        place = self._state.sequence + 1
        checkpoint = dice.choice(header.checkpoints[-3:] or [place])
        if dice.random() < 0.05:
            checkpoint = dice.choice([0, place, place + 1, max(1, place - 2)])
        digest = self._state.checkpoint_digests.get(checkpoint, dice.randbytes(32))
        if dice.random() < 0.08:
            digest = dice.choice([dice.randbytes(32), *self._state.checkpoint_digests.values()])
        before = header.floor[2] if header.floor is not None else 0
        forgotten = dice.randint(min(before, checkpoint), checkpoint)
        if dice.random() < 0.08:
            forgotten = dice.choice([0, max(0, before - 1), before, checkpoint + 1, 2**64 - 1])
        past = dice.randbytes(32 if dice.random() < 0.98 else 31)
        return schema.make(
            "Floor", checkpoint=checkpoint, digest=digest, forgotten=forgotten, past=past
        )

    def _history(self, _: bytes) -> Message:
        dice = self._dice
        if dice.random() < 0.3:
            return schema.make("HistoryPolicy", forever=True)
        return schema.make(
            "HistoryPolicy", all=dice.choice([None, 0, 3600]),
            daily=dice.choice([None, 0, 2**64 - 1]), versions=dice.choice([None, 0, 5, 2**32 - 1]),
        )

    def _retire(self, _: bytes) -> Message:
        """Returns a retirement with the packs that records need, and sometimes others."""
        dice, state = self._dice, self._state
        generation = state.header.generation + dice.choice([1, 1, 1, 2])
        if dice.random() < 0.05:
            generation = dice.choice([0, state.header.generation, 2**32 - 1])
        needed = {name for record in state.records.values() for name in record.needed()}
        packs = {state.chunks[name].pack for name in needed if state.chunks[name].pack}
        if dice.random() < 0.4:
            packs |= {chunk.pack for chunk in state.chunks.values() if chunk.pack}
        if dice.random() < 0.15:
            packs.add(dice.randbytes(16))
        if dice.random() < 0.1 and packs:
            packs.discard(dice.choice(sorted(packs)))
        return schema.make(
            "Retirement", generation=generation, packs=b"".join(sorted(packs)),
            inline=dice.random() < 0.4,
        )

    def _close_past(self, _: bytes) -> bool:
        return True

    def _goes_on(self, _: bytes) -> Message:
        dice = self._dice
        location = dice.choices(["/there", "s3:https://there/ü", "", "a\x85"], [8, 8, 1, 1])[0]
        id = dice.choice([bytes(16), b"s" * 16, dice.randbytes(16)])
        return schema.make("Site", id=id, location=location)

    def _forget(self, _: bytes) -> Message:
        dice, state = self._dice, self._state
        record = dice.choice([*state.records, dice.randbytes(16)])
        places = {dice.randint(1, max(state.sequence, 1)) for _ in range(dice.choice([1, 1, 3]))}
        if dice.random() < 0.1:
            places.add(dice.choice([0, state.sequence + 1, 2**64 - 1]))
        versions = b"".join(place.to_bytes(8, "big") for place in sorted(places))
        return schema.make("Forgetting", record=record, versions=versions)

    def _spoiled(self) -> dict[str, Any]:
        dice = self._dice
        return dice.choice(
            [
                {},
                {"accept": False},
                {"remove": bytes(31)},
                {"public_permission": dice.choice([0, 4])},
                {"access_requests": dice.choice([0, 3])},
                {"role": schema.make("ShareRole", user=self._user(), role=dice.choice([0, 1, 4]))},
                {"policy": schema.make("SharePolicy", access=dice.choice([0, 4]))},
                {"policy": schema.make("SharePolicy", access=1, permission=dice.choice([1, 4]))},
                {"invite": schema.make("ShareInvitation", user=self._user(), permission=4)},
                {"invite": schema.make("ShareInvitation")},
                {"revoke_device": bytes(15)},
                {"link": schema.make("ShareLink")},
                {"claim": schema.make("ShareClaim", link=bytes(32), proof=bytes(64))},
                {"checkpoint": False},
                {"close_past": False},
                {"take_over": False},
                {"offer": bytes(31)},
                {"confirm": bytes(31)},
                {"succession": schema.make("ShareSuccession", people=bytes(31), needed=1)},
                {"succession": schema.make("ShareSuccession", people=bytes(64), needed=2)},
                {"succession": schema.make("ShareSuccession", needed=1)},
                {"succession": schema.make("ShareSuccession", wait=1)},
                {"goes_on": schema.make("Site", id=bytes(15), location="/there")},
                {"floor": schema.make("Floor", checkpoint=1, digest=bytes(31), past=bytes(32))},
                {"history": schema.make("HistoryPolicy", forever=True, versions=0)},
                {"retire": schema.make("Retirement", generation=2**32 - 1, packs=bytes(15))},
                {"retire": schema.make("Retirement", generation=2**32 - 1, packs=bytes(32))},
                {"retire": schema.make("Retirement", generation=9, packs=b"b" * 16 + b"a" * 16)},
                {"forget": schema.make("Forgetting", record=bytes(15), versions=bytes(8))},
                {"forget": schema.make("Forgetting", record=bytes(16), versions=bytes(9))},
                {"forget": schema.make("Forgetting", record=bytes(16), versions=bytes(16))},
            ]
        )
