import CairnZone

/// A test of the file system's handling of attributes that it cannot store, on a file of our own:
/// its person may have changed a file in the folder at the same moment.
struct Trial {
  private let incoming: Descriptor
  private let name: FileNameBytes

  init(_ staging: Staging) {
    incoming = staging.incoming
    name = staging.freshName(for: .root)
  }

  /// Returns whether the file system is the reason for a difference: after setting the attributes,
  /// the state is `now`, and it was `before`.
  func explains(
    _ now: FileStat, _ before: FileStat, for attributes: Attributes
  ) throws(FolderError) -> Bool {
    if now.kind == .directory { return try explainsTime(of: now, before, attributes.modified) }
    // The bit is set on the way, so that it changes.
    let bits: (UInt32, UInt32) = attributes.isExecutable ? (0o600, 0o700) : (0o700, 0o600)
    let file = try incoming.makeFile(name, mode: bits.0)
    // If this fails, the file stays in the staging folder until the next start.
    defer { _ = incoming.disk.remove(name, in: incoming.number) }
    let hasMode = incoming.disk.setMode(of: file.number, bits.1) >= 0
    let hasTime = incoming.disk.setTime(of: file.number, attributes.modified) >= 0
    let shown = try FileStat.of(file)
    let isModeOurs =
      now.isExecutable == attributes.isExecutable || now.kind != .file
      || !hasMode || shown.isExecutable != attributes.isExecutable
    return isModeOurs
      && Self.isOurs(now, before, attributes.modified, shown: hasTime ? shown.modified : nil)
  }

  /// Returns whether the file system keeps the mode of a file.
  func keeps(_ mode: UInt32) throws(FolderError) -> Bool {
    let file = try incoming.makeFile(name, mode: 0o600)
    defer { _ = incoming.disk.remove(name, in: incoming.number) }
    let isSet = incoming.disk.setMode(of: file.number, mode) >= 0
    let shown = try FileStat.of(file)
    return isSet && shown.mode & 0o777 == mode
  }

  /// The same for the time of a directory, on a directory of our own.
  private func explainsTime(
    of now: FileStat, _ before: FileStat, _ wanted: Int64
  ) throws(FolderError) -> Bool {
    try incoming.makeDirectory(name, mode: 0o700)
    defer { _ = incoming.disk.removeDirectory(name, in: incoming.number) }
    let hasTime = incoming.disk.setTime(of: name, in: incoming.number, wanted) >= 0
    let shown = hasTime ? try FileStat.at(incoming, name)?.modified : nil
    return Self.isOurs(now, before, wanted, shown: shown)
  }

  /// Returns whether the file system is the reason for a time. `shown` is the time of our own entry
  /// after the same call; nil if the call failed. A file system may also drop the time, and say
  /// nothing.
  private static func isOurs(
    _ now: FileStat, _ before: FileStat, _ wanted: Int64, shown: Int64?
  ) -> Bool {
    if now.modified == wanted { return true }
    if shown == wanted { return false }
    return now.modified == before.modified || now.modified == shown
  }
}
