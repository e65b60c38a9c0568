import Glibc

/// The attributes that a file has on this device only: mode, group, access list, and the attributes
/// of programs (`user.*`). None of them is in the zone.
struct LocalAttributes {
  var access: Access
  /// The access list; nil if the mode expresses all rights.
  var list: AccessList?
  /// The attributes of programs, by name.
  var programs: [(name: [UInt8], value: [UInt8])] = []

  init(_ access: Access, list: AccessList? = nil) {
    self.access = access
    self.list = list
  }

  /// Reads the attributes of a file. If the file couldn't be opened, its access list is unknown.
  /// The group bits may be a mask then, so the group gets no more rights than others.
  init(of file: Descriptor?, _ stat: FileStat) throws(FolderError) {
    access = Access(stat)
    guard let file else {
      access.mode &= ~0o070 | (access.mode & 0o007) << 3
      return
    }
    for name in try file.attributeNames() {
      let isList = name == AccessList.attribute
      guard isList || name.starts(with: Array("user.".utf8)) else { continue }
      guard let value = try file.attribute(name) else { continue }
      if isList { list = AccessList(value) } else { programs.append((name, value)) }
    }
  }

  /// Sets the attributes of a file with the metadata `stat` and without a list. Attributes that the
  /// file system or the system's rules refuse are left out, together with rights that would be too
  /// wide without them.
  /// - Returns: The metadata of the file afterwards.
  func give(
    to stat: FileStat, open: () throws(FolderError) -> Descriptor
  ) throws(FolderError) -> FileStat {
    guard Access(stat) != access || list != nil || !programs.isEmpty else { return stat }
    let file = try open()
    var (mode, list) = (access.mode, list)
    var isRefused = false
    if stat.group != access.group {
      isRefused = try !accepts { () throws(FolderError) in try file.setGroup(access.group) }
      if isRefused { list = list?.forAnotherGroup() }
    }
    if let bytes = list?.bytes {
      let isKept = try accepts { () throws(FolderError) in
        try file.setAttribute(AccessList.attribute, to: bytes)
      }
      if !isKept { isRefused = true }
    }
    // The group's bits would be for another group, or the mask of a list that isn't set.
    if isRefused { mode &= ~0o070 | (mode & 0o007) << 3 }
    // A file system that refuses this has modes of its own.
    _ = try accepts { () throws(FolderError) in try file.setMode(mode, []) }
    for (name, value) in programs {
      _ = try accepts { () throws(FolderError) in try file.setAttribute(name, to: value) }
    }
    return try FileStat.of(file)
  }

  /// Returns false if the file system or the system's rules refuse an operation.
  private func accepts(_ act: () throws(FolderError) -> Void) throws(FolderError) -> Bool {
    do throws(FolderError) {
      try act()
      return true
    } catch {
      guard error.isRefusal || error.code == .denied || error.code == .unsupported else {
        throw error
      }
      return false
    }
  }
}
