import CairnZone
import Glibc

/// The attributes that a file has on this device only: mode, group, access list, and the attributes
/// of programs (`user.*`). None of them is in the zone.
struct LocalAttributes {
  var access: Access
  /// The access list; nil if the mode expresses all rights.
  var list: AccessList?
  /// The attributes of programs, by name.
  var programs: [(name: [UInt8], value: [UInt8])] = []
  /// A Boolean value that indicates whether the zone carries attributes of programs.
  var isCarried = false

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

  /// Changes the attributes of programs as those of the record changed.
  mutating func take(_ wanted: Attributes.Extended, from before: Attributes.Extended) {
    let now = Attributes.Extended(programs.map { ($0.name, $0.value) }) { $1 }
    programs = Attributes.extended(now, changed: wanted, from: before)
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value) }
    isCarried = true
  }

  /// Sets the attributes of a file with the metadata `stat` and without a list. Attributes that the
  /// file system or the system's rules refuse are left out, together with rights that would be too
  /// wide without them.
  /// - Returns: The metadata of the file afterwards, with the carried attributes of programs.
  func give(
    to stat: FileStat, open: () throws(FolderError) -> Descriptor
  ) throws(FolderError) -> FileStat {
    guard Access(stat) != access || list != nil || !programs.isEmpty else {
      var stat = stat
      if isCarried { stat.extended = [:] }
      return stat
    }
    let file = try open()
    let kept = try givePrograms(to: file, stat)
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
    var after = try FileStat.of(file)
    if isCarried { after.extended = kept.filter { Attributes.isCarried($0.key) } }
    return after
  }

  /// Sets the attributes of programs; returns those that the file system takes. Nobody can set them
  /// without write permission.
  private func givePrograms(
    to file: Descriptor, _ stat: FileStat
  ) throws(FolderError) -> Attributes.Extended {
    guard !programs.isEmpty else { return [:] }
    if stat.mode & 0o200 == 0 {
      _ = try accepts { () throws(FolderError) in try file.setMode(stat.mode | 0o200, []) }
    }
    var kept = Attributes.Extended()
    for (name, value) in programs {
      let result = file.disk.setAttribute(name, of: file.number, to: value)
      // A file system may have less room for attributes than that of others.
      if result == -EIO { throw FolderError(EIO, name, "set an attribute") }
      if result >= 0 { kept[name] = value }
    }
    return kept
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
