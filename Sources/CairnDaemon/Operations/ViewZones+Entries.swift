import CairnControl
import CairnReplica
import CairnZone
import Glibc

/// The records of zones as entries of views, and the files in the folders of views.
extension ViewZones {
  /// The bytes of the names in the folder of views.
  private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-.".utf8)

  /// Returns the id of a record from a request.
  static func record(_ text: String) throws -> RecordID {
    guard let id = RecordID(hexadecimal: text.filter { $0 != "-" }) else {
      throw ControlError(
        .invalidArguments, "\(text) is no id of a record.", remedy: "Take it from an answer.")
    }
    return id
  }

  /// Returns a record as an entry; nil for a record of a program, which has no place.
  static func entry(of record: Record, in zone: Zone) -> Control.ViewEntry? {
    guard let name = record.place?.name.bytes ?? (record.id == .root ? [] : nil) else {
      return nil
    }
    var entry = Control.ViewEntry(
      name: Control.Path(name), zone: zone.id.description, record: record.id.description,
      kind: .directory, size: 0,
      modified: Control.Time(nanoseconds: record.attributes.modified),
      executable: record.attributes.isExecutable)
    switch record.type {
    case .directory, .reference: break
    case .file:
      entry.kind = .file
      entry.size = Int64(clamping: record.content?.size ?? 0)
      entry.content = record.content?.id.description
    case .symlink:
      entry.kind = .symlink
      entry.size = Int64(record.target?.count ?? 0)
    case .typed: return nil
    }
    entry.target = record.target.map { Control.Path($0) }
    return entry
  }

  /// Replaces a reference to another zone of the same owner by the entry that it leads to. Any
  /// other reference is an empty directory.
  func inner(_ entry: Control.ViewEntry, of outer: Zone) throws -> Control.ViewEntry {
    guard entry.kind == .directory, let target = entry.target else { return entry }
    var entry = entry
    entry.target = nil
    guard let part = ZonePart(bytes: target.bytes),
      let zone = try known(part.zone), zone.header.owner == outer.header.owner,
      let record = try zone.read({ try $0.record(part.base) }),
      var there = Self.entry(of: record, in: zone), there.target == nil
    else { return entry }
    there.name = entry.name
    return there
  }

  // MARK: Files

  /// Opens a file in the folder of a view. A request names no other file.
  func file(_ name: String, _ flags: CInt) throws -> CInt {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isSound = parts.allSatisfy { part in
      !part.isEmpty && part.first != "."
        && part.utf8.allSatisfy { Self.nameBytes.contains($0) }
    }
    guard parts.count == 2, isSound else {
      throw ControlError(
        .invalidArguments, "\(name) is no file of a view's cache.", remedy: "Try again.")
    }
    let file = Glibc.open(
      "\(one.home.views)/\(name)", flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    var status = stat()
    guard file >= 0, fstat(file, &status) == 0 else {
      let number = errno
      if file >= 0 { close(file) }
      throw Self.unusable(number)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw Self.unusable(EINVAL)
    }
    return file
  }

  static func unusable(_ number: CInt) -> ControlError {
    let isFull = number == ENOSPC || number == EDQUOT
    return ControlError(
      isFull ? .limitExceeded : .permissionFailure,
      "The cache of the view can't be used: \(String(cString: strerror(number))).",
      remedy: isFull ? "Make room on the disk of this home." : "Check the owner and the mode.")
  }
}
