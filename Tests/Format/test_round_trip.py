"""The writer and the reader agree with each other, and with the page's EXAMPLES."""

import random
import tempfile
import unittest

import page
from cairn_format import schema
from cairn_format.account import Book, public_zone, read_everything
from cairn_format.container import Container, public_folder
from cairn_format.contents import ContentReader, chunk_name, content_id, piece_of
from cairn_format.fold import take, zone_id
from cairn_format.hashes import H, box_public
from cairn_format.invitations import DeviceCode, LinkSecret, Locator
from cairn_format.people import device_id, lock_of
from cairn_format.problems import Disputed, FormatProblem, Invalid, NewerCairn
from cairn_format.recovery import keys_of_words, sheet_keys
from cairn_format.signers import DeviceKeys, Signer
from cairn_format.state import ROOT, ZoneState
from cairn_format.state_digest import header_of, list_digest, state_digest
from cairn_format.zone_reader import ZoneReader
from cairn_format.keyring import Secrets
from cairn_format.zone_writer import ZoneWriter, member
from cairn_format.log import entry_digest, open_entry, place_name, public_place_name
from cairn_format.container import zone_folder

NOW = 1_700_000_000_000_000_000


class Examples(unittest.TestCase):
    """EXAMPLES of the page."""

    def test_names_and_ids(self) -> None:
        name = chunk_name(b"hello")
        self.assertEqual(
            name.hex(), "34aa9b25d145494328e100e084245a381f22e0d19a51a41012b3b2984691d25b"
        )
        self.assertEqual(
            content_id(5, name).hex(),
            "e2883c10c6243ee29f49f2bd16681a0c56f610b8795673245f0395b9ffc9facd",
        )
        self.assertEqual(
            content_id(0, b"").hex(),
            "8560e6a52789f55c6c605a3db685ef88dbdbcc252747a831a49ccc517479fcae",
        )
        key = bytes.fromhex("054200690142700e2c4cd563625a19d0cdf11373291ff31a0e081ac1f28ea95f")
        self.assertEqual(device_id(key).hex(), "a79a9b82285bc8be842274c4919bba73")
        ana = bytes.fromhex("62d317dbef72a90ef214860802e683af747855f4c24a8308305b463c61737d36")
        nonce = bytes.fromhex("00000000000000070000000000000009")
        self.assertEqual(
            zone_id(ana, nonce).hex(),
            "822cc851503d1b3df1677ec1b47fe3dc10a84a933a0131f8ad0d9266f0264d4d",
        )

    def test_a_recovery_sheet(self) -> None:
        lines = page.example("A recovery sheet with the secret")
        if lines is None:
            self.skipTest("the page shows no sheet")
        text, places = "".join(lines[:2]), [int(each) for each in " ".join(lines[2:4]).split()]
        for keys in (sheet_keys(text), keys_of_words(places)):
            self.assertEqual(keys.id.hex(), lines[4])
        with self.assertRaises(Invalid):
            keys_of_words([*places[:-1], places[-1] ^ 1])
        with self.assertRaises(Invalid):
            sheet_keys(text[:-1] + "a")

    def test_the_entry_of_the_page_opens(self) -> None:
        key, entry = page.example("key of epoch 1 is"), page.example("has these")
        place = page.example("of the log has the name")
        people = page.example("Ana has the secret encryption key")
        if key is None or entry is None or place is None or people is None:
            self.skipTest("the page shows no entry")
        secret, user, device, sign_key = (bytes.fromhex(each) for each in people)
        nonce, zone = (bytes.fromhex(each) for each in page.example("Her zone has the nonce") or [])
        self.assertEqual(zone_id(user, nonce), zone)
        self.assertEqual(device_id(sign_key), device)
        epoch_key = bytes.fromhex(key[0])
        self.assertEqual(place_name(epoch_key, zone, 1), place[0])

        class Ana:
            """A source that knows Ana's device."""

            def sign_key(self, user: bytes, device: bytes, chain: object) -> bytes:
                return sign_key

            def has_revoked(self, user: bytes, device: bytes) -> bool:
                return False

        stored = bytes.fromhex("".join(entry))
        opened = open_entry(stored, zone, 1, {1: epoch_key}, Ana())
        state = ZoneState(zone)
        take(state, opened.commit, opened.epoch, opened.digest)
        self.assertEqual(state.header.keys, {user: box_public(secret)})
        self.assertEqual([each.name for each in state.records.values()], [b"", b"trip.txt"])
        digest = page.example("entry's digest is")
        self.assertEqual(opened.digest.hex(), (digest or [""])[0])
        digests = page.example("After entry 1 the digests")
        self.assertEqual(state_digest(state).hex(), (digests or [""])[-1])
        self.assertEqual(len(schema.encode(header_of(state))), 300)
        nothing = (digests or [""] * 2)[1]
        self.assertEqual(list_digest("deletions", []).hex(), nothing)
        self.assertEqual(list_digest("packs", []).hex(), nothing)

    def test_what_the_page_says_of_what_is_published(self) -> None:
        people = page.example("Ana has the secret encryption key")
        told = page.example("What she publishes in that container")
        if people is None or told is None:
            self.skipTest("the page shows no public zone")
        secret, user = (bytes.fromhex(each) for each in people[:2])
        zone, key = public_zone(bytes.fromhex("00112233445566778899aabbccddeeff"), user)
        name = public_place_name(secret, zone, 1)
        self.assertEqual([zone.hex(), key.hex(), name, lock_of(name).hex()], told)

    def test_the_link_of_the_page_is_one(self) -> None:
        lines = page.example("has this link")
        if lines is None or len(lines) < 3:
            self.skipTest("the page shows no link")
        locator = Locator.parse("".join(lines))
        self.assertEqual(locator.container.hex(), "00112233445566778899aabbccddeeff")
        self.assertEqual(locator.text(), "".join(lines))

    def test_links_and_codes_come_back(self) -> None:
        dice = random.Random(1)
        locator = Locator(dice.randbytes(16), dice.randbytes(32), dice.randbytes(32), "/srv/c")
        self.assertEqual(Locator.parse(locator.text()), locator)
        locator.secret, locator.inviter = dice.randbytes(32), dice.randbytes(16)
        text = locator.text()
        self.assertEqual(Locator.parse(text.upper()), locator)
        with self.assertRaises(Invalid):
            Locator.parse(text[:30] + ("a" if text[30] != "a" else "b") + text[31:])
        code = DeviceCode(
            dice.randbytes(16), dice.randbytes(32), dice.randbytes(32), 7, 3,
            dice.randbytes(16), "/srv/c",
        )
        self.assertEqual(DeviceCode.parse(code.text()), code)


class Encoding(unittest.TestCase):
    """Messages: only the canonical encoding."""

    def test_only_the_canonical_encoding_is_read(self) -> None:
        place = schema.make("Place", parent=bytes(16), name=b"a")
        data = schema.encode(place)
        self.assertEqual(schema.decode("Place", data).name, b"a")
        for bad in (data[3:] + data[:18], data + data[-3:], data[:-1], data + b"\x82\x00\x00"):
            with self.assertRaises(Invalid):
                schema.decode("Place", bad)

    def test_unknown_numbers(self) -> None:
        data = schema.encode(schema.make("Place", parent=bytes(16), name=b"a"))
        with self.assertRaises(NewerCairn):
            schema.decode("Place", data + bytes([3 << 3, 1]))
        later = data + b"\x80\x40\x01"  # number 1024, 1
        self.assertEqual(schema.decode("Place", later).extra, b"\x80\x40\x01")
        with self.assertRaises(Invalid):
            schema.decode("Place", b"\x80\x40\x01" + data)
        with self.assertRaises(NewerCairn):
            schema.decode("Place", b"\x08\x01")  # a number in the place of bytes
        signed = schema.encode(schema.make("SignedCommit", body=b"a", signature=bytes(64)))
        with self.assertRaises(Invalid):
            schema.decode("SignedCommit", signed + b"\x80\x40\x01")


class StateDigests(unittest.TestCase):
    """The state digest of a zone, in parts."""

    def packs(self, count: int, first: bytes = b"") -> list[tuple[bytes, bytes]]:
        names = [first + H("a pack", bytes([at % 256, at >> 8]))[: 16 - len(first)]
                 for at in range(count)]
        return [(name, name) for name in sorted(names)]

    def part(self, elements: list[tuple[bytes, bytes]]) -> bytes:
        part = schema.make("StatePart", packs=[each for _, each in elements])
        return H("cairn state part v1", schema.encode(part))

    def test_a_list_of_at_most_a_mebibyte_is_a_part(self) -> None:
        few = self.packs(58254)  # 18 bytes each
        self.assertEqual(list_digest("packs", few), self.part(few))
        many = self.packs(58255)
        lists = [[each for each in many if each[0][0] >> 4 == digit] for digit in range(16)]
        node = H("cairn state node v1", *(self.part(each) for each in lists))
        self.assertEqual(list_digest("packs", many), node)

    def test_the_next_digit_parts_what_begins_alike(self) -> None:
        many = self.packs(58255, b"\x7f")
        lists = [[each for each in many if each[0][1] >> 4 == digit] for digit in range(16)]
        below = H("cairn state node v1", *(self.part(each) for each in lists))
        empty = self.part([])
        alone = H("cairn state node v1", *[empty] * 15, below)
        node = H("cairn state node v1", *[empty] * 7, alone, *[empty] * 8)
        self.assertEqual(list_digest("packs", many), node)


class World:
    """A container with Ana and Bob."""

    def __init__(self, path: str, seed: int = 1) -> None:
        self.dice = random.Random(seed)
        self.container = Container(path)
        self.container.found(NOW)
        self.book = Book(self.container)
        self.ana = self.person("ana")
        self.bob = self.person("bob")

    def person(self, handle: str) -> Signer:
        signer = Signer.new(self.dice, handle, handle.title(), NOW)
        signer.put_start(self.container)
        return signer

    def zone(self, **parts: object) -> ZoneWriter:
        return ZoneWriter.found(
            self.container, self.book, self.ana, "Trip", self.dice, **parts  # type: ignore
        )

    def as_bob(self, zone: ZoneWriter) -> ZoneWriter:
        return ZoneWriter(
            self.container, self.book, self.bob, zone.zone, zone.founder, dict(zone.keys),
            self.dice,
        )


def change(**what: object) -> schema.Message:
    """A change of the share."""
    return schema.make("ShareChange", **what)


class RoundTrips(unittest.TestCase):
    """The reader reads everything that the writer writes."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.world = World(folder.name + "/container")
        self.home = folder.name + "/home"

    def shared(self) -> ZoneWriter:
        zone = self.world.zone(share=[change(title="Trip")])
        invite = schema.make("ShareInvitation", user=self.world.bob.user, permission=3)
        zone.commit(share=[change(invite=invite)], keys=[member(self.world.bob)])
        self.world.as_bob(zone).commit(share=[change(accept=True)])
        return zone

    def test_everything_of_an_account(self) -> None:
        zone = self.world.zone()
        data = self.world.dice.randbytes(300_000) + bytes(200_000)
        zone.commit(**zone.file(b"large", data))
        zone.commit(**zone.file(b"small", b"hello"))
        own = ZoneWriter.found_account(
            self.world.container, self.world.book, self.world.ana, self.world.dice
        )
        own.commit(records=[own.note_zone(zone.zone, self.world.ana.user, "private", zone.keys)])
        self.world.ana.account().save(self.home)
        everything = read_everything(self.home, str(self.world.container.path))
        read = everything.zones[zone.zone]
        contents = {
            record.name: ContentReader(self.world.container).read(
                record.size, record.chunks, read.state.chunks
            )
            for record in read.state.records.values()
            if record.id != ROOT
        }
        self.assertEqual(contents, {b"large": data, b"small": b"hello"})

    def grow(
        self, zone: ZoneWriter, before: bytes, after: bytes, damage: str = ""
    ) -> None:
        """Commits a chunk behind another one of the zone."""
        piece = piece_of(before, after)
        if damage:
            piece.parts[damage] = {"before": bytes(32), "size": 1, "added": b"(\xb5/\xfd"}[damage]
        entry = schema.make("ChunkEntry", name=chunk_name(after), size=len(after))
        entry.parts["place"] = schema.encode(schema.make("ChunkPlace", pieces=[piece]))
        entry.parts["after"] = chunk_name(before)
        zone.commit(chunks=[entry])

    def read_chunk(self, zone: ZoneWriter, plain: bytes) -> bytes:
        chunks = zone.read().state.chunks
        return ContentReader(self.world.container).read_chunk(chunks[chunk_name(plain)])

    def test_chunks_that_grow(self) -> None:
        for data in (b"a line\n" * 200, self.world.dice.randbytes(66_000)):
            zone = self.world.zone()
            zone.commit(**zone.file(b"log", data))
            first = list(zone.read().state.chunks.values())
            grown = data[-first[-1].size :]
            for number in range(5):
                before, grown = grown, grown + b"line %d\n" % number
                self.grow(zone, before, grown)
                self.assertEqual(self.read_chunk(zone, grown), grown)
            chunk = zone.read().state.chunks[chunk_name(grown)]
            place = schema.decode("ChunkPlace", chunk.place)
            self.assertEqual((len(place.pieces), chunk.after), (5, b""))
            for damage in ("size", "added"):
                self.grow(zone, grown, grown + damage.encode(), damage)
                with self.assertRaises(Invalid):
                    self.read_chunk(zone, grown + damage.encode())
            self.grow(zone, grown, grown + b"before", "before")
            self.assertEqual(self.read_chunk(zone, grown + b"before"), grown + b"before")
            with self.assertRaises(Invalid):
                self.grow(zone, b"unknown", b"unknown, too")

    def test_a_raised_epoch_is_read_by_who_stays(self) -> None:
        zone = self.shared()
        bob = self.world.as_bob(zone)
        zone.commit(next_key=self.world.dice.randbytes(32))
        self.assertEqual(bob.read().state.header.epoch, 2)
        zone.commit(share=[change(remove=self.world.bob.user)], next_key=bytes([7]) * 32)
        zone.commit(**zone.file(b"later", b"later"))
        gone = bob.read()
        self.assertTrue(gone.ends_here)
        self.assertEqual((gone.state.sequence, zone.read().state.sequence), (5, 6))

    def test_a_box_too_few_is_held(self) -> None:
        zone = self.shared()
        read = zone.read()
        key = self.world.dice.randbytes(32)
        commit = zone.body(read.state)
        entry = zone.seal(read, commit, key)
        decoded = schema.decode("LogEntry", entry)
        from cairn_format.log import next_key_of, seal_entry

        commit.parts["next_key"] = next_key_of(key, zone.zone, 1)
        bad = seal_entry(
            schema.encode(commit), zone.zone, 4, 1, read.keys[1], decoded.key_boxes[:1],
            self.world.ana.device.seed, bytes(24),
        )
        zone.put(read, bad)
        for writer in (zone, self.world.as_bob(zone)):
            self.assertIn("place 4", writer.read().held or "")

    def test_rubbish_is_held_and_a_copy_goes_round_it(self) -> None:
        zone = self.shared()
        read = zone.read()
        folder = f"{zone_folder(zone.zone, zone.founder)}/log"
        fourth = zone.commit(**zone.file(b"a", b"a"))
        zone.commit(**zone.file(b"b", b"b"))
        whole = zone.read().state.head
        key = read.keys[1]
        place = f"{folder}/{place_name(key, zone.zone, 4)}"
        self.world.container.delete(place)
        self.assertEqual(zone.read().state.sequence, 3)
        zone.put_copy(key, [fourth], 4)
        self.assertEqual(zone.read().state.head, whole)
        self.world.container.put_if_absent(place, b"rubbish")
        mended = zone.read()
        self.assertEqual((mended.state.head, mended.from_copies), (whole, [4]))

    def test_a_copy_under_a_key_that_a_mark_hands_on_is_found(self) -> None:
        zone = self.shared()
        read = zone.read()
        key = self.world.dice.randbytes(32)
        fourth = zone.commit(**zone.file(b"a", b"a"))
        zone.commit(next_key=key)
        zone.commit(**zone.file(b"b", b"b"))
        whole = zone.read().state.head
        folder = f"{zone_folder(zone.zone, zone.founder)}/log"
        place = f"{folder}/{place_name(read.keys[1], zone.zone, 4)}"
        self.world.container.delete(place)
        self.world.container.put_if_absent(place, b"rubbish")
        self.assertEqual(zone.read().state.sequence, 3)
        zone.put_copy(key, [fourth], 4)
        mended = zone.read()
        self.assertEqual(mended.state.head, whole)
        self.assertIn(4, mended.from_copies)

    def test_the_entry_that_was_built_on_counts(self) -> None:
        zone = self.shared()
        read = zone.read()
        folder = f"{zone_folder(zone.zone, zone.founder)}/log"
        place = f"{folder}/{place_name(read.keys[1], zone.zone, 4)}"
        fourth = zone.commit(**zone.file(b"a", b"a"))
        zone.commit(**zone.file(b"b", b"b"))
        whole = zone.read().state.head
        zone.put_copy(read.keys[1], [fourth], 4)
        self.world.container.delete(place)
        other = zone.seal(read, zone.body(read.state, **zone.file(b"x", b"x")))
        self.world.container.put_if_absent(place, other)
        self.assertEqual(zone.read().state.head, whole)

    def test_what_was_exchanged_in_an_epoch_that_is_over(self) -> None:
        zone = self.shared()
        bob = self.world.as_bob(zone)
        before = zone.read()
        own = [bob.commit(**bob.file(name, name)) for name in (b"a", b"b")]
        zone.commit(share=[change(remove=self.world.bob.user)], next_key=bytes([7]) * 32)
        whole = zone.read().state.head
        folder, previous = f"{zone_folder(zone.zone, zone.founder)}/log", before.state.head
        for place, entry in enumerate(own, 4):
            zone.put_copy(before.keys[1], [entry], place)
            commit = bob.body(before.state, **bob.file(b"not %d" % place, b"x"))
            commit.parts["previous"] = previous
            other = bob.seal(before, commit, sequence=place)
            previous = entry_digest(other)
            name = f"{folder}/{place_name(before.keys[1], zone.zone, place)}"
            self.world.container.delete(name)
            self.world.container.put_if_absent(name, other)
        read = zone.read()
        self.assertEqual((read.state.head, read.held), (whole, None))

    def test_what_is_published_is_at_locked_places(self) -> None:
        ana, container = self.world.ana, self.world.container
        writer = ZoneWriter.publish(container, self.world.book, ana, self.world.dice)
        writer.commit(**writer.file(b"a", b"a"))
        whole = writer.read()
        self.assertEqual((whole.state.sequence, whole.held), (2, None))
        self.assertEqual({each.name for each in whole.state.records.values()}, {b"", b"a"})
        # Names that fit no lock mean nothing, whatever is stored there.
        folder = public_folder(ana.user)
        for name in (f"{0:032x}", public_place_name(bytes(32), writer.zone, 3)):
            container.put_if_absent(f"{folder}/{name}", container.get(writer.public_place(2)) or b"")
        self.assertEqual(writer.read().state.head, whole.state.head)
        with self.assertRaises(Invalid):
            ZoneWriter.publish(container, self.world.book, ana, self.world.dice)
        # Another person may sign for a place, and has no effect there.
        bob = ZoneWriter(
            container, self.world.book, self.world.bob, writer.zone, ana.user, writer.keys,
            self.world.dice, writer.first_lock,
        )
        stored = bob.seal(whole, bob.body(whole.state, **bob.file(b"b", b"b")))
        container.put_if_absent(writer.public_place(3), stored)
        self.assertIn("somebody else's public zone", writer.read().held or "")

    def test_anchors(self) -> None:
        zone = self.shared()
        third = zone.read().state.head
        secrets = Secrets(self.world.bob.user, self.world.bob.encryption)
        arguments = (self.world.container, zone.zone, zone.founder, zone.keys, secrets)
        self.assertEqual(
            ZoneReader(*arguments, self.world.book, (3, third)).read().state.sequence, 3
        )
        for anchor in ((4, third), (3, bytes(32)), (2, third)):
            with self.assertRaises(Disputed):
                ZoneReader(*arguments, self.world.book, anchor).read()

    def test_a_link_lets_in_by_its_box(self) -> None:
        zone = self.shared()
        link = LinkSecret(self.world.dice.randbytes(32))
        made = schema.make(
            "ShareLink", id=link.id, box_key=link.box_key, one_time=True, permission=2
        )
        zone.commit(share=[change(link=made)])
        zone.commit(next_key=self.world.dice.randbytes(32))
        holder = Secrets(None, [link.box_secret])
        reader = ZoneReader(
            self.world.container, zone.zone, zone.founder, zone.keys, holder, self.world.book
        )
        read = reader.read()
        self.assertEqual((read.state.sequence, read.state.header.epoch), (5, 2))
        cy = self.world.person("cy")
        writer = ZoneWriter(
            self.world.container, self.world.book, cy, zone.zone, zone.founder, read.keys,
            self.world.dice,
        )
        claim = schema.make("ShareClaim", link=link.id, proof=link.claim(zone.zone, cy.user))
        writer.commit(share=[change(claim=claim)], keys=[member(cy)])
        self.assertIn(cy.user, zone.read().state.header.keys)

    def test_chains(self) -> None:
        ana, container = self.world.ana, self.world.container
        phone = DeviceKeys(self.world.dice.randbytes(32), self.world.dice.randbytes(32))
        second = ana.add_device(container, phone, NOW + 1)
        self.assertEqual(len(ana.refresh(container).active()), 2)
        container.put_if_absent(f"users/{ana.user.hex()}/log/{'0' * 32}", b"rubbish")
        ana.revoke(container, phone.id, self.world.dice.randbytes(32), NOW + 2)
        person = ana.refresh(container)
        self.assertEqual((person.length, len(person.active())), (3, 1))
        self.assertEqual(person.encryption_key, box_public(ana.encryption[-1]))
        with self.assertRaises(FormatProblem):
            person.apply(second.entry(NOW + 3, profile=schema.make("IdentityProfile")))
        self.assertTrue(person.passes(2, person.digests[1]))
        self.assertIsNone(person.passes(4, bytes(32)))

    def test_a_chain_that_its_person_did_not_sign_for_is_disputed(self) -> None:
        zone, ana = self.shared(), self.world.ana
        self.assertEqual(self.world.book.disputed, set())
        longer = schema.make("ChainHead", length=2, head=bytes(32))
        other = schema.make("ChainHead", length=1, head=bytes(32))
        own = zone.read().state.header.owner
        for head in (longer, other):
            self.world.book.sign_key(own, ana.device.id, head)
            self.assertEqual(self.world.book.disputed, {own})
            self.world.book.sign_key(own, ana.device.id, ana.head)
            self.assertEqual(self.world.book.disputed, set())

    def test_an_entry_elsewhere_opens_nowhere(self) -> None:
        zone = self.shared()
        read = zone.read()
        entry = zone.seal(read, zone.body(read.state, **zone.file(b"x", b"x")), sequence=5)
        zone.put(read, entry)
        self.assertIsNotNone(zone.read().held)
        self.assertNotEqual(entry_digest(entry), read.state.head)


if __name__ == "__main__":
    unittest.main()
