import CairnZone

/// A POSIX access list, as the kernel stores it in an extended attribute (`acl(5)`): a version, and
/// entries of a tag, rights and an id, 8 bytes each, little-endian.
struct AccessList: Hashable {
  /// The attribute that holds a file's list.
  static let attribute = Array("system.posix_acl_access".utf8)
  /// The attribute that holds a directory's list for new entries in it.
  static let defaultAttribute = Array("system.posix_acl_default".utf8)

  private enum Tag {
    static let owner: UInt8 = 0x01
    static let group: UInt8 = 0x04
    static let mask: UInt8 = 0x10
    static let others: UInt8 = 0x20
  }

  private(set) var bytes: [UInt8]

  /// Parses a list; nil if the bytes are no list of version 2.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, bytes[0] == 2 else { return nil }
    self.bytes = bytes
  }

  private func entry(_ tag: UInt8) -> Int? {
    stride(from: 4, to: bytes.count, by: 8).first { bytes[$0] == tag && bytes[$0 + 1] == 0 }
  }

  private mutating func limit(_ tag: UInt8, to rights: UInt32) {
    if let entry = entry(tag) { bytes[entry + 2] &= UInt8(rights & 7) }
  }

  private func rights(_ tag: UInt8) -> UInt32? { entry(tag).map { UInt32(bytes[$0 + 2]) } }

  /// The tag whose rights are shown as the group bits of the mode.
  private var groupTag: UInt8 { entry(Tag.mask) == nil ? Tag.group : Tag.mask }

  /// The mode of a file with this list.
  var mode: UInt32 {
    (rights(Tag.owner) ?? 0) << 6 | (rights(groupTag) ?? 0) << 3 | (rights(Tag.others) ?? 0)
  }

  /// Returns the list of a file that a program creates with that mode in a directory with this
  /// default list.
  func created(with mode: UInt32) -> AccessList {
    var list = self
    list.limit(Tag.owner, to: mode >> 6)
    list.limit(list.groupTag, to: mode >> 3)
    list.limit(Tag.others, to: mode)
    return list
  }

  /// Returns the list for a file with another group than the intended one: that group gets no more
  /// rights than others.
  func forAnotherGroup() -> AccessList {
    var list = self
    list.limit(Tag.group, to: rights(Tag.others) ?? 0)
    return list
  }
}
