/// Who may do what with a file or directory, by its mode and group.
struct Access: Hashable, Sendable {
  /// The bits for owner, group and others, without setuid, setgid and sticky.
  var mode: UInt32
  var group: UInt32

  init(mode: UInt32, group: UInt32) {
    self.mode = mode & 0o777
    self.group = group
  }

  init(_ stat: FileStat) { self.init(mode: stat.mode, group: stat.group) }

  /// As the index stores it.
  init(stored: Int64) {
    self.init(mode: UInt32(stored & 0o777), group: UInt32(truncatingIfNeeded: stored >> 12))
  }

  var stored: Int64 { Int64(group) << 12 | Int64(mode) }

  /// Whether any other file may be as wide: everybody may read it, and only the owner may write it.
  /// A file that comes back in its place needs no memory of it.
  var isCommon: Bool { mode & 0o066 == 0o044 }

  /// The access of a file that comes in the place of one that had `other`: what the file gets by
  /// itself, without what the other one didn't give.
  func limited(by other: Access) -> Access {
    guard other != self else { return self }
    var allowed = other.mode
    // Where its person may not write, a file has no write bits, whoever may read it.
    if allowed & FileMode.anyWrite == 0 { allowed |= (allowed & 0o444) >> 1 }
    let others = allowed & 0o007
    // The group's bits are those of another group, or the mask of an access list that is gone.
    // Either way nobody in this file's group had more by them than others had.
    var limit = 0o700 | others | others << 3 & allowed
    if other.group != group { limit = 0o700 | others | others << 3 }
    let common = mode & limit
    return Access(mode: common & ~(0o111 & ~(common >> 2)), group: group)
  }
}
