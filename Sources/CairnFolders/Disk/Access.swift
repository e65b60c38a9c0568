/// The access rights for a file or directory, by its mode and group.
struct Access: Hashable, Sendable {
  /// The bits for owner, group and others, without setuid, setgid and sticky.
  var mode: UInt32
  var group: UInt32

  init(mode: UInt32, group: UInt32) {
    self.mode = mode & 0o777
    self.group = group
  }

  init(_ stat: FileStat) { self.init(mode: stat.mode, group: stat.group) }

  /// Creates a value from its form in the index.
  init(stored: Int64) {
    self.init(mode: UInt32(stored & 0o777), group: UInt32(truncatingIfNeeded: stored >> 12))
  }

  var stored: Int64 { Int64(group) << 12 | Int64(mode) }

  /// A Boolean value that indicates whether any other file may be as accessible: everybody can read
  /// it, and only the owner can write it. The index needn't remember that for a file that returns
  /// to its place.
  var isCommon: Bool { mode & 0o066 == 0o044 }

  /// Returns the access of a file that replaces one with the access `other`: the file's own rights,
  /// without those that the other file didn't give.
  func limited(by other: Access) -> Access {
    guard other != self else { return self }
    var allowed = other.mode
    // If the person can't edit the zone, a file has no write bits at all. Their absence is then no
    // limit for those who can read it.
    if allowed & FileMode.anyWrite == 0 { allowed |= (allowed & 0o444) >> 1 }
    let others = allowed & 0o007
    // The group's bits are for another group, or they are the mask of an access list that no longer
    // exists. Either way nobody in this file's group had more rights by them than others had.
    var limit = 0o700 | others | others << 3 & allowed
    if other.group != group { limit = 0o700 | others | others << 3 }
    let common = mode & limit
    return Access(mode: common & ~(0o111 & ~(common >> 2)), group: group)
  }
}
