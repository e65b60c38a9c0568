import CairnZone

/// What the file system makes of attributes that it can't hold, found out on a file of ours: what
/// stands in the folder may have been changed by its person in the same moment.
struct Trial {
  private let incoming: Descriptor
  private let name: FileNameBytes

  init(_ staging: Staging) {
    incoming = staging.incoming
    name = staging.freshName(for: .root)
  }

  /// Whether the disk shows something else for a reason of the file system's: after the attributes
  /// were set, `now` is there and `before` was.
  func explains(
    _ now: FileStat, _ before: FileStat, for attributes: Attributes
  ) throws(FolderError) -> Bool {
    // The bit is set on the way to it, so that it changes.
    let bits: (UInt32, UInt32) = attributes.isExecutable ? (0o600, 0o700) : (0o700, 0o600)
    let file = try incoming.makeFile(name, mode: bits.0)
    // If this fails the file stays in the staging folder, and the next start sweeps it.
    defer { _ = incoming.disk.remove(name, in: incoming.number) }
    let hasMode = incoming.disk.setMode(of: file.number, bits.1) >= 0
    let hasTime = incoming.disk.setTime(of: file.number, attributes.modified) >= 0
    let shown = try FileStat.of(file)
    let isModeOurs =
      now.isExecutable == attributes.isExecutable || now.kind != .file
      || !hasMode || shown.isExecutable != attributes.isExecutable
    let isTimeOurs = now.modified == (hasTime ? shown.modified : before.modified)
    return isModeOurs && isTimeOurs
  }
}
