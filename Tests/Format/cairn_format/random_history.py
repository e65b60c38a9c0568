"""Draws whole commits for random histories, and spoils some of them."""

import random
from collections.abc import Iterator
from typing import Any

from . import schema
from .bounds import check_commit
from .fold import judge
from .fold_share import Rights
from .histories import NOW, History, Tried, Writer
from .limits import limits
from .log import boxes_for, next_key_of
from .problems import FormatProblem
from .random_records import RandomRecords
from .random_shares import RandomShares
from .signers import DeviceKeys
from .wire import Message

_LAST = 8  # of the commits of a history: its end is drawn among these


def histories(seed: int, commits: int) -> Iterator[History]:
    """Yields histories with that many commits together."""
    yield from limits(seed)
    left, number = commits, 0
    while left > 0:
        dice = random.Random(f"{seed} {number}")
        is_public = number % 10 == 3
        end = "goes_on" if is_public else ["stop", "purge", "goes_on", ""][number % 4]
        history = History.new(dice, dice.choice([4, 7, 12]), is_public)
        count = min(left, dice.choice([20, 60, 120]))
        player = Player(history, count, end)
        for _ in range(count):
            player.step()
        yield history
        left -= count
        number += 1


class Player:
    """Plays one history of that many commits.

    `end` is a change that ends the share, the zone, or its log here, or nothing. It is drawn among
    the last commits. Some commits follow it, and are refused if nothing may follow.
    """

    def __init__(self, history: History, count: int, end: str) -> None:
        self._history = history
        self._left = count
        self._dice = history.dice
        self._state = history.state
        self._by_user = {each.user: each for each in history.people}
        self._is_calm = history.dice.random() < 0.5  # the owner writes nearly all commits
        self._end = end

    def step(self) -> Tried:
        """Plays one more commit."""
        dice, state = self._dice, self._state
        self._left -= 1
        author, device = self._author()
        parts = self._founding(author) if state.sequence == 0 else self._parts(author)
        if dice.random() < 0.005 and state.sequence > 0:
            parts.update(self._founding(author))
        commit = schema.make(
            "Commit",
            previous=state.head,
            user=author.user,
            device=device.id,
            time=NOW + dice.randint(-(10**15), 10**16),
            chain=schema.make("ChainHead", length=dice.randint(1, 9), head=dice.randbytes(32)),
            run=dice.choice([None, dice.randbytes(16)]),
            reversal=self._reversal(),
            **parts,
        )
        if (dice.random() < 0.98) == state.is_public:
            commit.parts["lock"] = dice.randbytes(32)
        self._add_keys(commit, author)
        next_key = None
        chance = 0.3 if state.header.is_due else 0.03
        if author.user != state.header.owner:
            chance /= 4
        ends = any(each.goes_on is not None for each in commit.share)
        if ends or any(each.close_past is not None for each in commit.share):
            chance = 0.03 if state.is_public else 0.9
        if dice.random() < chance and state.sequence > 0:
            next_key = self._history.key(state.header.epoch + 1)
        return self._sealed(commit, author, device, next_key)

    # --- the authors and the parts of commits

    def _reversal(self) -> Message | None:
        """Returns a reversal, which decides nothing. Some of its kinds have a meaning, and others
        don't."""
        dice = self._dice
        if dice.random() < 0.9:
            return None
        return schema.make(
            "Reversal",
            kind=dice.randint(0, 3),
            place=dice.randint(0, 9),
            first=dice.randint(0, 9),
            ends=dice.random() < 0.5,
        )

    def _author(self) -> tuple[Writer, DeviceKeys]:
        """Returns the owner most of the time, then people in the share, and sometimes anybody."""
        dice, header = self._dice, self._state.header
        user = dice.choice(self._history.people).user
        if header.owner and not header.is_public:
            share = header.share
            people = list(share.participants) if share is not None else []
            drawn, strangers = dice.random(), 0.06
            if self._is_calm and drawn < 0.9:
                return self._by_user[header.owner], self._by_user[header.owner].devices[0]
            if share is not None and share.links:
                strangers = 0.2
            if drawn < strangers:
                pass
            elif drawn < 0.6 or not people:
                user = header.owner
            else:
                user = dice.choice(people)
        elif self._state.sequence == 0 or dice.random() < 0.9:
            user = self._history.people[0].user
        writer = self._by_user[user]
        return writer, writer.devices[0] if dice.random() < 0.8 else writer.devices[1]

    def _founding(self, author: Writer) -> dict[str, Any]:
        dice = self._dice
        owner = author.user if dice.random() < 0.95 else dice.choice(self._history.people).user
        nonce = self._history.nonce if dice.random() < 0.95 else dice.randbytes(16)
        name = dice.choice(["Trip", "Public", ""])
        parts: dict[str, Any] = {
            "genesis": schema.make(
                "Genesis", owner=owner, name=name, nonce=nonce,
                site=dice.choices([b"", b"s" * 16, bytes(3)], [40, 10, 1])[0],
            )
        }
        if not self._state.is_public and dice.random() < 0.5:
            parts["share"] = [schema.make("ShareChange", title="Trip")]
        return parts

    def _parts(self, author: Writer) -> dict[str, Any]:
        dice, parts = self._dice, {}
        header = self._state.header
        may_end = author.user == (header.founder if header.is_public else header.owner)
        if self._end and self._left < _LAST and may_end and dice.random() < 0.7:
            return {"share": [self._shares().change(self._end, author.user)]}
        drawn = dice.random()
        share_chance = 0.1 if self._state.is_public else 0.25 if self._is_calm else 0.45
        if not Rights(self._state.header, author.user).may_write:
            share_chance = 0.85
        if drawn < share_chance or drawn > 0.92:
            shares = self._shares()
            count = dice.choices([1, 2, 3], [8, 2, 1])[0]
            parts["share"] = [
                shares.change(shares.likely(author.user), author.user) for _ in range(count)
            ]
            if parts["share"][0].goes_on is not None and dice.random() < 0.9:
                del parts["share"][1:]
            if dice.random() < 0.05:
                parts["share"] += [shares.change(kind, author.user) for kind in ("stop", "title")]
        is_alone = any(
            part is not None
            for each in parts.get("share", [])
            for part in (each.retire, each.close_past, each.goes_on)
        )
        if drawn >= share_chance and drawn < 0.985 and not (is_alone and dice.random() < 0.9):
            records = RandomRecords(dice, self._state)
            parts["records"] = records.changes(dice.choices([1, 2, 3, 6], [8, 4, 2, 1])[0])
            chances = [0.1 if author.user == self._state.header.owner else 0.01, 0.03]
            records.bring_again(chances)
            parts["chunks"] = records.chunks
            if dice.random() < 0.02:
                parts["records"] = []
        return parts

    def _shares(self) -> RandomShares:
        people = self._history.people
        devices = {each.user: [device.id for device in each.devices] for each in people}
        return RandomShares(
            self._dice, self._state, [each.user for each in people], devices, self._history.links,
            self._is_calm,
        )

    def _add_keys(self, commit: Message, author: Writer) -> None:
        """Adds the keys that the commit needs, and sometimes others."""
        dice, header = self._dice, self._state.header
        keys: dict[bytes, bytes] = {}
        for change in commit.share:
            if change.invite is not None and not header.has(change.invite.user):
                if dice.random() < 0.97 and change.invite.user in self._by_user:
                    keys[change.invite.user] = self._key(self._by_user[change.invite.user])
            if change.claim is not None and dice.random() < 0.97:
                keys[author.user] = self._key(author)
        if commit.genesis is not None and not self._state.is_public and dice.random() < 0.97:
            keys[author.user] = self._key(author)
        if dice.random() < 0.03:
            keys[author.user] = self._key(author)
        if dice.random() < 0.015:
            somebody = dice.choice(self._history.people)
            keys[somebody.user] = self._key(somebody)
        if keys:
            commit.parts["keys"] = [
                schema.make("MemberKey", user=user, key=keys[user]) for user in sorted(keys)
            ]
            if dice.random() < 0.01:
                commit.parts["keys"].reverse()
            if dice.random() < 0.005:
                commit.parts["keys"].append(commit.parts["keys"][-1])

    def _key(self, who: Writer) -> bytes:
        """Returns one of a person's two keys, or rarely a key that libsodium refuses."""
        if self._dice.random() < 0.01:
            return self._dice.choice([bytes(32), bytes([1]) + bytes(31)])
        return self._dice.choice(who.keys)

    # --- sealing, and spoiling

    def _sealed(
        self, commit: Message, author: Writer, device: DeviceKeys, next_key: bytes | None
    ) -> Tried:
        dice, history, kind = self._dice, self._history, self._kind(commit, next_key)
        state, epoch, boxes = self._state, self._state.header.epoch, []
        if dice.random() < 0.02:
            kind += " " + self._spoil(commit)
        if next_key is not None:
            commit.parts["next_key"] = next_key_of(next_key, state.zone, epoch)
            boxes = self._boxes(commit, next_key)
            if dice.random() < 0.04:
                commit.parts["next_key"] = dice.randbytes(32)
                kind += " with another next key"
        elif dice.random() < 0.003:
            boxes = [dice.randbytes(80)]
            kind += " with boxes for nothing"
        body, sealed_epoch, signer = None, None, device
        drawn = dice.random()
        if drawn < 0.02:
            body, kind = self._encoded(commit, kind)
        elif drawn < 0.025 and epoch > 1:
            sealed_epoch, kind = dice.randint(1, epoch - 1), kind + " of an old epoch"
        elif drawn < 0.03:
            other = dice.choice(history.people)
            signer, kind = other.devices[0], kind + " signed by another device"
        stored = history.seal(commit, author, signer, boxes, body, sealed_epoch)
        if 0.03 <= drawn < 0.035:
            stored, kind = self._altered(stored), kind + " altered"
        elif 0.035 <= drawn < 0.037:
            stored, kind = stored + b"\x80\x40\x01", kind + " with a later field outside"
        return history.try_entry(stored, next_key, kind)

    def _kind(self, commit: Message, next_key: bytes | None) -> str:
        kinds = [each.which("change") or "none" for each in commit.share]
        kinds += ["records"] if commit.records else []
        kinds += ["genesis"] if commit.genesis is not None else []
        kinds += ["keys"] if commit.keys else []
        kinds += ["next_key"] if next_key is not None else []
        return "+".join(kinds) or "empty"

    def _boxes(self, commit: Message, next_key: bytes) -> list[bytes]:
        """Returns the boxes that the state after the commit needs, and sometimes others."""
        dice, header = self._dice, self._state.header
        try:
            check_commit(commit)
            header = judge(self._state, commit, header.epoch)
        except FormatProblem:
            pass
        boxes = boxes_for(next_key, header.recipients())
        if boxes and dice.random() < 0.08:
            spoiled = dice.choice(["less", "more", "order", "other", "twice"])
            if spoiled == "less":
                boxes.pop(dice.randrange(len(boxes)))
            elif spoiled == "more":
                boxes = sorted(boxes + boxes_for(next_key, {dice.randbytes(32)}))
            elif spoiled == "order":
                boxes.reverse()
            elif spoiled == "other":
                boxes = boxes_for(dice.randbytes(32), header.recipients())
            else:
                boxes = sorted(boxes + boxes[:1])
        return boxes

    def _spoil(self, commit: Message) -> str:
        """Makes one part of the commit wrong."""
        dice = self._dice
        name, value = dice.choice(
            [
                ("previous", dice.randbytes(32)),
                ("previous", bytes(31)),
                ("user", dice.randbytes(32)),
                ("device", dice.randbytes(16)),
                ("device", bytes(15)),
                ("run", bytes(3)),
                ("next_key", bytes(5)),
                ("chain", None),
                ("chain", schema.make("ChainHead", length=1, head=bytes(31))),
                ("chain", schema.make("ChainHead", head=bytes(32))),
            ]
        )
        commit.parts[name] = value
        if value is None:
            del commit.parts[name]
        return f"with a wrong {name}"

    def _encoded(self, commit: Message, kind: str) -> tuple[bytes, str]:
        """Encodes a commit in a way that isn't canonical, or with fields of a newer Cairn."""
        dice = self._dice
        how = dice.choice(["later", "later", "newer", "order", "long", "cut", "zero", "disorder"])
        extra = {
            "later": dice.choice([b"\x80\x40\x01", b"\x82\x40\x01a", b"\x80\x40\x01\x88\x40\x00"]),
            "newer": dice.choice([b"\xf8\x3f\x01", b"\xfa\x01\x00"]),  # numbers 1023 and 31
            "disorder": b"\x88\x40\x00\x80\x40\x01",  # 1025 before 1024
            "long": b"\x80\x40\x81\x00",  # a number that isn't in the shortest form
        }
        if how in extra:
            part = dice.choice(_messages(commit))
            part.extra = extra[how]
            return schema.encode(commit), f"{kind} encoded: {how} in {part.schema.name}"
        data = schema.encode(commit)
        if how == "zero":
            return data + b"\x0a\x00", f"{kind} encoded: {how}"
        if how == "order":
            return b"\x80\x40\x01" + data, f"{kind} encoded: {how}"
        return data[: dice.randrange(len(data))], f"{kind} encoded: cut"

    def _altered(self, stored: bytes) -> bytes:
        at = self._dice.randrange(len(stored))
        return stored[:at] + bytes([stored[at] ^ (1 << self._dice.randrange(8))]) + stored[at + 1 :]


def _messages(message: Message) -> list[Message]:
    """Returns a message, and all messages in it."""
    found = [message]
    for value in message.parts.values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Message):
                found += _messages(each)
    return found
