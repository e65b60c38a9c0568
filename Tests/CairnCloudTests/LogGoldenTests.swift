import CairnZone
import Glibc
import Testing

@testable import CairnCloud

/// Bytes that the first version wrote. They were made once and are never made again: every later
/// version must read them, and read the same out of them.
struct LogGoldenTests {
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
    "080110011a18de7d09f9ec8d80973db07028ef412f110c4ef985057481802250835e934e3f0c83dad118f15a",
    "167719f8cb31ee4e2fcd2411d0262de593e1d343d57efd8b3c2fa4185da6890c1ad60a42f89a35b0923ebb5e",
    "caad545687b8a018d2406b88f8ca3f6f76a1dfbd082c51bd2ac00309ac52f198613212bf585ee894b9b3c88e",
    "2a6ea2acdeb45480c7577b17e8419b0cfa77ed7da41fffe59d78fa7a20dea6c7b3517e0a0d5a9f69615fc34f",
    "5ec000e6053bfe9027d62c44a4a112d74529f7acd1beb1fac71d000d69323ada4df0088e3f6c8f80a3c4522e",
    "24f016a25710d8587104b5e621ce34e31f5a42a45da9215aac40fb8df91e838ffaf12d9501b955a5485541e7",
    "f480ac10c37f5cbc1f1ff26e80e1bcfb93ffaabdfab9fc6d2fd359dde928ceeec563be409a06ae3703d3ff2a",
    "1a337a1079c9172b76246738903226a4809a2cf010b282973ff923f80a592c262e8578b7537c340e5e15603b",
    "ca0889e688575a85c494e565deea17951ec5823ec25f9bc03c5874897979234de9918055618a7d54ad232d96",
    "2956a1e90166e0cddd3ad941b91719bbf6bc8557fa483ce22c84818c1ec3773659200867bcca08956427a046",
    "bebe799bff990f91b2bc0a2e30264b3ec45007a1ded8eb37154280bc243a5c06f2c6cbe9c6d9601477e7628d",
    "906952bd82ef2ab7fd52329a65c6e764f48aec88e10927d3216a47152d94e6b00e3bfb92a76ac0b00dfcdba4",
    "e660f6a79f18ce28eb1e551a04b98ab5e628e9a52a0fd66f1a405ce2f322eeea37b3ee3220f0bfa879891fbc",
    "863b5f302eeae584a9c773824f87839350b14e77634a97d0dc",
  ].joined()

  private let invitation = [
    "080112d0021cb8f7a9d7b12355284e82e562c5844f59639975e7a855d4a99592faeab0f510a0bb592c0f9d84",
    "a8dc35071192a6cd60e56137df33f31f3df40a2443c6c6e836860a7d1bcc96ee6e7e222ec86e2a366b5fa0df",
    "422c73ef65a91aebb931f1abe610dfbb6a375dca56f6cc5d8e51bd1a605e22421674c4c7e0e9f5730169a900",
    "8b2a8dd9f2e896878bcf777c0c4966023d3e0ede30688b0980062729e7c7430fac830b70cafaaccc61e037d4",
    "bc0dc4dc90bd177724563d4af58b27a2a9c2231eebc712418b0cbcdabd29b0ec3b641f605e4e5da1d2751314",
    "a6ec21c852fb0a88a059e5456442ef4e164cea03e7a7a461b792fff30baff4d327977fdcb216f00a02ff7bf6",
    "9092f719c67a93bafd49d672b3c57fe67f478ea51ac43a2d4d97277b7b0b57b4770cabd710055834a27ae8c1",
    "f7b5c2544e75d4c1708a23c1a3b5ba25d3e77bd2b5907617225a23adcf09ad2cf1",
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

  @Test func `the first version's account, entry and invitation are still read`() throws {
    let account = try account()
    let person = try IdentityLog.fold([account.origin], of: account.user)
    #expect(person.handle == "ana")
    let zone = Sample.zone(of: account)
    let keys = Sample.keys(person)
    let opened = try EntryCodec.open(
      Sample.bytes(hexadecimal: entry), zone: zone, sequence: 1, keys: Keyring(),
      opener: .init(account: account), signKey: keys)
    #expect(opened.commit == (try commit(of: account)))
    let message = try Invitation.open(
      Sample.bytes(hexadecimal: invitation), account: account, signKey: keys)
    #expect(message.zone == zone)
    #expect(message.title == "Trip")
    #expect(message.permission == .readWrite)
    #expect(message.keyring.latest == opened.newKey)
  }

  @Test func `the digest of the entry is the one that another program computes`() {
    let digest = EntryCodec.digest(of: Sample.bytes(hexadecimal: entry))
    #expect(
      hexadecimal(digest.bytes)
        == "525352ee16bd5bca6f450e313c4c0b408941210cb843d45a09f7c3f8f6139823")
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
      share: [.title("Trip")])
  }
}
