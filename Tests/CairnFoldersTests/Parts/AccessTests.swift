import Testing

@testable import CairnFolders

/// Modes, groups and access lists as values.
struct AccessTests {
  /// The mode of a new file, the mode of the file before it, and the result.
  @Test(
    arguments: [
      (0o644, 0o644, 0o644), (0o644, 0o600, 0o600), (0o644, 0o640, 0o600), (0o640, 0o640, 0o640),
      (0o660, 0o660, 0o660), (0o664, 0o644, 0o644), (0o644, 0o664, 0o644), (0o755, 0o600, 0o700),
      (0o644, 0o604, 0o604), (0o644, 0o400, 0o600), (0o666, 0o444, 0o666), (0o600, 0o644, 0o600),
      (0o755, 0o711, 0o700),
    ] as [(UInt32, UInt32, UInt32)])
  func `a file isn't wider than the one before it`(new: UInt32, old: UInt32, result: UInt32) {
    let limited = Access(mode: new, group: 1).limited(by: Access(mode: old, group: 1))
    #expect(limited == Access(mode: result, group: 1), "\(String(limited.mode, radix: 8))")
  }

  @Test func `another group has no more rights than others had`() {
    let new = Access(mode: 0o664, group: 1)
    #expect(new.limited(by: Access(mode: 0o660, group: 2)).mode == 0o600)
    #expect(new.limited(by: Access(mode: 0o664, group: 2)).mode == 0o644)
  }

  @Test func `an access survives the index`() {
    for access in [Access(mode: 0o777, group: .max), Access(mode: 0, group: 0)] {
      #expect(Access(stored: access.stored) == access)
    }
    #expect(Access(mode: 0o644, group: 7).isCommon && !Access(mode: 0o664, group: 7).isCommon)
    #expect(Access(mode: 0o555, group: 7).isCommon && !Access(mode: 0o700, group: 7).isCommon)
  }

  private static func list(_ entries: [(tag: UInt8, rights: UInt8)]) -> [UInt8] {
    [2, 0, 0, 0] + entries.flatMap { [$0.tag, 0, $0.rights, 0, 255, 255, 255, 255] }
  }

  @Test func `a default list gives the new file's mode, too`() throws {
    // Owner, a person, group, mask, others.
    let list = try #require(
      AccessList(Self.list([(1, 7), (2, 6), (4, 5), (16, 7), (32, 5)])))
    let made = list.created(with: 0o666)
    #expect(made.mode == 0o664)
    #expect(made.bytes == Self.list([(1, 6), (2, 6), (4, 5), (16, 6), (32, 4)]))
    #expect(
      made.forAnotherGroup().bytes == Self.list([(1, 6), (2, 6), (4, 4), (16, 6), (32, 4)]))
    // Without a mask the group's rights are its own.
    let short = try #require(AccessList(Self.list([(1, 7), (4, 7), (32, 7)])))
    #expect(short.created(with: 0o640).bytes == Self.list([(1, 6), (4, 4), (32, 0)]))
  }

  @Test(arguments: [[], [2, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0, 1]] as [[UInt8]])
  func `bytes that are no list give none`(bytes: [UInt8]) {
    #expect(AccessList(bytes) == nil)
  }
}
