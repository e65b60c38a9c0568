import CairnCloud
import CairnZone
import Glibc
import Testing

/// Bytes that the first version wrote. They were made once and are never made again: every later
/// version must read them, and read the same out of them.
struct LogGoldenTests {
  private let accountFile = [
    "0801122062d317dbef72a90ef214860802e683af747855f4c24a8308305b463c61737d361a203cae95a78431",
    "db5194581d684a5ffe7333f44ec5ee050c5a89ca6b07c11061802220542c38b10e90f3c043bea0dd11a35174",
    "7a3b6ef648aea4287b60f79ecfe98ce82a20477d09227086b0ebe07955e4941c65ef79eb6f68b5284012dda2",
    "a482400f4b2a32cf020801128802080112200000000000000000000000000000000000000000000000000000",
    "0000000000001a10a79a9b82285bc8be842274c4919bba7320012acd010a0a0a03616e611203414e41129c01",
    "0a046465736b1220054200690142700e2c4cd563625a19d0cdf11373291ff31a0e081ac1f28ea95f1a208481",
    "3dc7fc34f8fe019b585f7d7cad4adb507e84c0adb3ba7f1ac21d3ebdd35b2250fe923b5bcf7f165dfa6cefaa",
    "934010910bf0296fff553fc6dd717526e1fce7072a320a2a4fdf5d1a39d1c70d6a41764eff912643e090a8aa",
    "24f834ff171153172ba18d70d9bb94314ae402be51bb56561a20dcac63b8cccc5727d9eb2bb93fdce90c8666",
    "57b6135c8381eca7955c7015772b1a408898dc0b9e78ead7666c148b8215fb9a94c8e942a0967aa32eb1611c",
    "4ba7f3ef1c86e1c5d117d54db37b5f92dd5f04317680a7396597644fdfa1f21121e09403",
  ].joined()

  private let entry = [
    "080110011a18c3aedb6c18b26f719f3a436f429ce048087fba599c257c1422504efa8cc221b21ef2f44bf2fd",
    "d38a33b95b145f5c48fd23db637bb9832506917537891f7c2f2714ad910cd11ed30327bcce37c71cdcf77f3a",
    "6dbb6214680da5f5fa37faf30e96bbb141f093bcb912c4a72ac003d9183d39012ada063e2ad3dd8ed12df66b",
    "2b84b4fd2bce066795293b39bea0ee2cf8bd412dd5578aaa0d91a87271aa7b8b2f31910095e67b86e6c4a6cc",
    "d50344ec967b3f4be512597d00f27b100f0ca6a2bb49f8933bb22292e7e93def941b5c93f30c2f15df73f8a0",
    "07cb16f2684ac27015d782e5c4171d9070ca4d6194c54b16aacf3b6519c9eb7ab80ad39ce03ab1cf61f9de18",
    "e0b73d43c8c34c5d5e9891304db895b014449c3b9567b4d02d06c16453f3d7bf694a77f21ae419c7386d8373",
    "f96889fd32b90b1b15152bcc5a93c802523243e1da35353256b5b87585afaed8185798dbe9d66eada3b1b5ce",
    "989fbd5c55edf6fbb3fcd9af0398a70d8de6c0d0d50fc5c9fed5b10139b9d891038d9805d5981812e8272f29",
    "804850f0898cb215a7c6d363c7dec6848dbf5a8f57280071cc577a501c6693703bfe4ce71b1e9506be67ee93",
    "388848003879dd757477a5bef619409ca6ae7b8fb57f0f6aeaaa1262b39c31af08e6ce217742f4d1177f3ae4",
    "9970f92e2bb5566671b4238bc69b9762059e2f9eabef611013c8b071f0f080db1bb53187a130b2ee07fd209b",
    "698a9f20ccd1d05f6bc8188bf7de2ffff66fecb6b3367ea80716099e5c63bf0a9f11373220eab61d76d36099",
    "08e6eae10b53aeb791b117cb07323d5d7622392cb22a679048",
  ].joined()

  private let invitation = [
    "080112d0027178fbd70e82fb595e55aa8e96cccf0804e0731abc31953a3b62e3a4248bf633242334d822284c",
    "3f3834e380bc990b7de836973c84c60df7c21cfa75d5a015d70c6203d8549298d82b32ce7e550f9419cd510d",
    "6d7b432dcc03e244d1360aa406ef6e16e3b559bdc230234c26f6462228255e13f7fdeb24d683ff95b7232437",
    "aa2cda9baaf8b1a82a2044a222aabd274ce87e383a832520a00e45e3ed8ff31fc26fe27551427136e79d8a35",
    "0193f8be184cbd20f1d81726fb3d8619a43d05e4363293346589f7a9e81f915b93f1b68b6b85cb6dfad40b62",
    "5fd3547ab3024aab0dae9ba823f35592b865f89a007e91fc0f3a85474e20ab3125e1b733620122fb997a8773",
    "3e1f1df127425737505f25f840fe75a352000392def71886270acaf8245f11d8d31cd1f3f9a4becd0e8f58bc",
    "7f33b6d463d595658ab128956367623d4542a7102646ab87bf82dfd29d0b0faeba",
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
      account: account, signKey: keys)
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
        == "22c394bf54eadbbb8a915b6e6ae249e038fff655b162d29ba7f34ed09d710428")
  }

  private func commit(of account: Account) throws -> Commit {
    let file = try #require(RecordID(bytes: (0..<16).map { UInt8($0) }))
    let name = try #require(FileName("trip.txt"))
    let chunk = try #require(ChunkName(bytes: (0..<32).map { UInt8($0) }))
    let content = try #require(ContentID(bytes: (32..<64).map { UInt8($0) }))
    return Commit(
      previous: .zero, author: account.author, time: 1_700_000_000_000_000_000,
      genesis: Genesis(owner: account.user, name: "Trip"), epoch: 1,
      chunks: [ChunkEntry(name: chunk, size: 5, place: [1, 2, 3])],
      records: [
        RecordChange(
          id: file, act: .create(.file), place: Place(parent: .root, name: name),
          content: Content(id: content, size: 5, chunks: [chunk]),
          attributes: Attributes(isExecutable: true, modified: 1_600_000_000_000_000_001))
      ],
      share: [.title("Trip")])
  }
}
