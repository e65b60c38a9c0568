import CairnStore
import CairnZone
import Glibc
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Bytes as the first version writes them. They were made once and are never made again. Every
/// later version must read them, and get the same data from them.
///
/// Cairn made the account. Another program made the entry and the invitation with its keys. It is
/// written in Python with libsodium's functions from PyNaCl, and BLAKE2b from hashlib. It encodes,
/// seals and signs by the words of cairn-container(5) alone, and computes all digests here, too.
/// The entry's nonce and key are `nonce` and `key`. The invitation's box is made with the key pair
/// from the seed BLAKE2b-256("ephemeral key of the golden invitation"), and with the nonce that a
/// sealed box has with it.
struct LogGoldenTests {
  private let key = "a02419650494401da675568d95c9abe767686d85a34b3bb2831c52e850f6e757"
  private let nonce = "de7d09f9ec8d80973db07028ef412f110c4ef98505748180"

  private let accountFile = [
    "0801122029b47b3f12689584bce143969516c95f6b84e100de35bc3ecdb1f3b53dd7eda51a203cae95a78431",
    "db5194581d684a5ffe7333f44ec5ee050c5a89ca6b07c11061802220542c38b10e90f3c043bea0dd11a35174",
    "7a3b6ef648aea4287b60f79ecfe98ce82a20477d09227086b0ebe07955e4941c65ef79eb6f68b5284012dda2",
    "a482400f4b2a32f102080112aa02080112200000000000000000000000000000000000000000000000000000",
    "0000000000001a10a79a9b82285bc8be842274c4919bba7320012acd010a0a0a03616e611203414e41129c01",
    "0a046465736b1220054200690142700e2c4cd563625a19d0cdf11373291ff31a0e081ac1f28ea95f1a208481",
    "3dc7fc34f8fe019b585f7d7cad4adb507e84c0adb3ba7f1ac21d3ebdd35b22505250b53c2ac527dcd22b8c86",
    "f6372f7fbff3eb14562ed156836072f496fca67d319a08acf347578a21e2232cf65386f0a5187411e5936ff9",
    "854d7ac491c7a62a71ede04204f10b2b25724e2346071cf01a20dcac63b8cccc5727d9eb2bb93fdce90c8666",
    "57b6135c8381eca7955c7015772b5220b3a9f681b2e608aca6d804cfcffe34899417152a1c958bdf5624ab67",
    "3c35005e1a4003299297df27f87c4966acc99db2489547a2bc78deb3829fc348e3870810fd0a16758d9e1b2f",
    "825c01538c93d0372eca5102ccef470df5c5345dd1bae27f7c0c",
  ].joined()

  private let entry = [
    "080110011a18de7d09f9ec8d80973db07028ef412f110c4ef985057481802ab004098053f198613212bf585e",
    "e894b9b3c88e2a6ea2acdeb45480c7577b17e8419b0cfa77ed7da41fffe59d78fa7a20dea6c7b3517e0a0d5a",
    "9f69615fc34f5ec000e6053bfe9027d62c44a4a112d74529f7acd1beb1fac71d000d69323ada4df0088e3f6c",
    "8f80a3c4522e24f016a25710d8587104b5e621ce34e31f5a42a45da9215aac40fb8df91e838ffaf12d9501b9",
    "55a5485541e7f480ac10c37f5cbc1f1ff26e80e1bcfb93ffaabdfab9fc6d2fd359dde928ceeec563be409a06",
    "ae3703d3ff2a1a337a1079c9172b76246738903226a4809a2cf010b282973ff923f80a592c262e8578b7537c",
    "340e5e15603bca0889e688575a85c494e565deea17951ec5823ec25f9bc03c5874897979234de9918055618a",
    "7d54ad232d962956a1e90166e0cddd3ad941b91719bbf6bc8557fa483ce22c84818c1ec3773659200867bcca",
    "08956427a046bebe799bff990f91b2bc0a2e30264b3ec45007a1ded8eb37154280bc243a5c4e963a0552d537",
    "c591a64807fed6218e873c7f12ca5276378f58fe8f8e8cd538b0339a67e56c7d331727f790ed884293a6d00d",
    "c4014769947954b711a0cea9134fd1c9ece9b1845d58433ac9442594bc26a150c3fa6be2214f9fa34ca37cb7",
    "65928d736415ad5e4486206e0e12c80af417907c4eaf63d7001caa63eb554fe4f1b87bc6b51637ec3d906399",
    "2d9e79abfaa9f17eccda5ba301a9c2635df8da678a6c9026a5ae26a8d3b2cf523f67c1824312485a36eca98c",
    "96e670d22598ed892aabbd39080e94215881f515403220f0bfa879891fbc863b5f302eeae584a9c773824f87",
    "839350b14e77634a97d0dc",
  ].joined()

  private let invitation = [
    "080112a003c75f74b6e5b5c65b9b68c3e44ef897792b048630e76f164c85d8bed1754da145ae5e5646e34b2e",
    "6e94936dfe8c33a96508f03530f23409ad3bb7ed133e5e745ecb51910268d59789eca1d7618c96945c5d9fe0",
    "6e08b2aafdaf123cea4375013d6f25851ed079cbaaac6135adfae341ab6a3d65b3731337d117e3261fc88f79",
    "a9f9364d10063a2e763bc02d8ba11257dc86fd54d5ae4ba7d00b32eb58f7d52085a69e63ae999e8d937118b9",
    "95c06f3a56d721af41716cd12e075a5c5fedacc187d247436dbaee4049180dca1f300a9705b11066b74a8de9",
    "50225ab3eb85ca2bab46d4d9401dc58007cc72796be57777baf93515f0f8730a3089db610803826368866ccd",
    "1b752365843c9dea2460a4d61d76498e4f17e14710558b5adeba2e7241c3b6d7c9aa06531ce401bd7fbaec6f",
    "d5286b01b48604bcac4656fa1f1a6ee02c6c6368d48e2123e5c16d050c2cce1cfd878099a628baa14bac8a3e",
    "b9f1a19dfa5103e0dabdd9c555396d76963533e1286ecf6afdcd3b11c899b68812c1c9ffdf54e1b8307ede1d",
    "e0624f63dcda5284f6e4421980bf99b69cd5f2887cc6d3f5a4",
  ].joined()

  private func account() throws -> Account {
    var path = Array("/tmp/cairn-golden-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    try #require(descriptor >= 0)
    defer {
      close(descriptor)
      unlink(&path)
    }
    let bytes = Sample.bytes(hexadecimal: accountFile)
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    let name = path.dropLast().map { UInt8(bitPattern: $0) }
    return try Account.load(String(decoding: name, as: UTF8.self))
  }

  private func zoneKey() throws -> ZoneKey {
    ZoneKey(epoch: 1, secret: try #require(SecretBytes(Sample.bytes(hexadecimal: key))))
  }

  @Test func `the first version's account, entry and invitation are still read`() throws {
    let account = try account()
    let person = try IdentityLog.fold([account.origin], of: account.user)
    #expect(person.handle == "ana")
    let zone = Sample.zone(of: account)
    let keys = Sample.keys(person)
    let ring = Keyring([try zoneKey()])
    let stored = Sample.bytes(hexadecimal: entry)
    let opened = try EntryCodec.open(
      stored, zone: zone, sequence: 1, keys: ring, opener: .init(account: account), signKey: keys)
    #expect(opened.commit == (try commit(of: account)))
    #expect(opened.boxes.isEmpty && opened.newKey == nil)
    #expect(EntryCodec.nonce(of: stored, zone: zone, keys: ring) == Sample.nonce)
    let message = try Invitation.open(
      Sample.bytes(hexadecimal: invitation), account: account, signKey: keys)
    #expect(message.zone == zone)
    #expect(message.title == "Trip")
    #expect(message.permission == .readWrite)
    #expect(message.keyring == ring)
    #expect(message.zoneHead == LogAnchor(sequence: 1, digest: EntryCodec.digest(of: stored)))
    #expect(message.chainHead == ChainHead(length: 1, head: person.head))
  }

  @Test func `the same commit, nonce and key make the same entry`() throws {
    let account = try account()
    let sealed = try EntryCodec.seal(
      commit(of: account), zone: Sample.zone(of: account), sequence: 1, key: zoneKey(), boxes: [],
      nonce: Sample.nonce, account: account, sealNonce: Sample.bytes(hexadecimal: nonce))
    #expect(hexadecimal(sealed) == entry)
  }

  @Test func `the digest and the place of the entry are those that another program computes`()
    throws
  {
    let account = try account()
    let digest = EntryCodec.digest(of: Sample.bytes(hexadecimal: entry))
    #expect(
      hexadecimal(digest.bytes)
        == "0c6bb022871bd65c05a933235bc22a466b2dcd0113d81121f3a5ba5b8285681f")
    let zone = Sample.zone(of: account)
    let place = ZoneFolder(zone: zone, founder: account.user).place(1, try zoneKey())
    #expect(
      place.description
        == "users/\(account.user)/zones/\(zone)/log/baa8d0da2e1f0f550860b7ed88633613")
  }

  @Test func `a published entry has the place that another program computes`() throws {
    let account = try account()
    let container = try #require(ContainerID(hexadecimal: "00112233445566778899aabbccddeeff"))
    let zone = ZoneID.public(in: container, by: account.user)
    let secret = try #require(account.encryption.first)
    let name = ZoneFolder(zone: zone, founder: account.user, kind: .public)
      .publicName(1, by: secret)
    let told = [zone.description, hexadecimal(ZoneKey.public(of: zone).secret.copy()), name]
    #expect(
      told + [hexadecimal(ChainPlace.lock(name).bytes)] == [
        "b6b9911dc65b0afca49bded19c0842d341a34b49e2bc9a01646a055d74e07760",
        "e6bb3f98fa1fcbc7db98479e31d3177335c39bcb350fba477fa9514aa9cbf73b",
        "6d98be2191334342dbad94394699702e",
        "3d72f4502463d0d3ea8aa649ebb4c1cf5738eb39cc007e1180fb98d366ab085b",
      ])
  }

  @Test func `the state digest after the entry is the one that another program computes`() throws {
    let account = try account()
    var zone = MemoryZone(zone: Sample.zone(of: account))
    let digest = EntryCodec.digest(of: Sample.bytes(hexadecimal: entry))
    let verdict = try Fold.judge(commit(of: account), at: 1, digest: digest, on: zone)
    guard case .applied(let delta) = verdict else {
      Issue.record("the entry is refused: \(verdict)")
      return
    }
    zone.apply(delta)
    #expect(
      hexadecimal(zone.digest.bytes)
        == "5cd227124f54633339d5498f9477b007abccf5aabd99e5bb35f919e8a1f3bc32")
  }

  @Test func `the zone's link is the one that another program makes`() throws {
    let account = try account()
    let container = try #require(ContainerID(hexadecimal: "00112233445566778899aabbccddeeff"))
    let link = ShareLink(
      container: container, founder: account.user, zone: Sample.zone(of: account))
    #expect(
      link.text
        == "cairn:share/aaisem2ekvthpcezvk54zxpo74u3i6z7cjujlbf44fbznfiwzfpwxbhbadpdlpb6zwy7"
        + "hnj527w2kqzfvq4czd4djy36ixsddgc6ihqlabyknmhtuqcvbv4jlcwacey3agktq3xq"
        + "")
  }

  private func commit(of account: Account) throws -> Commit {
    let file = try #require(RecordID(bytes: (0..<16).map { UInt8($0) }))
    let name = try #require(FileName("trip.txt"))
    let chunk = try #require(
      ChunkName(
        bytes: Sample.bytes(
          hexadecimal: "34aa9b25d145494328e100e084245a381f22e0d19a51a41012b3b2984691d25b")))
    let content = try #require(
      ContentID(
        bytes: Sample.bytes(
          hexadecimal: "e2883c10c6243ee29f49f2bd16681a0c56f610b8795673245f0395b9ffc9facd")))
    let place = ChunkPlace(
      position: .inline(Array("hello".utf8)), isCompressed: false, size: 5)
    return Commit(
      previous: .zero, author: account.author, time: 1_700_000_000_000_000_000,
      genesis: Genesis(owner: account.user, name: "Trip"), epoch: 1,
      chunks: [ChunkEntry(name: chunk, size: 5, place: place.encoded())],
      records: [
        RecordChange(
          id: file, act: .create(.file), place: Place(parent: .root, name: name),
          content: Content(id: content, size: 5, chunks: [chunk]),
          attributes: Attributes(isExecutable: true, modified: 1_600_000_000_000_000_001))
      ],
      share: [.title("Trip")], keys: [account.user: account.encryptionKey],
      chain: ChainHead(
        length: 1, head: try IdentityLog.fold([account.origin], of: account.user).head))
  }
}
