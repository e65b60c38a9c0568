import CairnZone
import Glibc
import Testing

@testable import CairnCloud

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
    "080110011a18e6232997bd6304f1a0805571d3b666ef76a1aa2956fe13f72250f4ab7b1d372fef449746b3d0",
    "6a42551a7225eab9b5486a7c5b14139f214dfb7d7838a706041198c302732b27e34d4a75e9d1e5e5cb44c31a",
    "42c85491b77b205febca2558f7e5c4f9e5f21246316789dd2ac003a2b0f34fe782b2f14405e48f2f75919819",
    "7167b0273440027c4101fb859a4ede8e13d545e240b3d3ed60482d0fb10a4c1c123b5620d03cb9d50b817d8c",
    "8023f4a55b77872af40fdcd3094a54709e2c96ea508f2ca58bf8669fbda3f2dd625436bcac269a9a56e90550",
    "98ee74efe814d894549076bb65941a948cc69b7570f83dc68c21e65de6dee4431f890ebbe862dd85ebe33c65",
    "3c2f4a6996637f3c8dd16f58f3d8e3620c8636d46c065c00f5c2cd5ef94bc2621b866357b617c97a26c10bd9",
    "87a0549cb9005bde5c3eab512cd850c380f3dfaa1eed359f8c30c5c21b6937e2bb3d6d6ca69c16e4833138bf",
    "405462487f77d2e3a36334f8037c7baf6c4d19f8bebb4e76b370675a6d8ed5912793acfbcb8cf8c418018dc1",
    "cdb11f72a4f21015619e46a2f6bb5a449efc566b7ef15a4883e28eadbf3d7fa5b4a505246f412793f272dfb5",
    "e48b8ceb944f57bf8c9f3f541c84d599f18262dc2eafe8afe99a31010b70661b280448fc149635711e59a6e9",
    "e2f73b281ca92a6d2b8fb650114b2f291cc6aaf5ce82e58ad984fd01bafc4abfb3131e27ca9565efceba3a91",
    "420b472a734362eedc5490eedd8f74e8c67b9402bee865824bc931dc6c878f811c6c3a3220bb93c5ff2a0ab3",
    "3f39a61d5cc48de5557ec06caf72ebb16ce69fe91e25eaedd5",
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
        == "8c8c8c49da07da9dfdc4b014da58100002ce9069dc5acb29c6395a4ec73d7166")
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
