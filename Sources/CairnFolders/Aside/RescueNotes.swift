import Glibc

/// Why and when bytes were set aside, kept beside the rescue folder in a file for each case: the
/// bytes may lie there for long, and the reason must not go with the daemon that knew it. A lost
/// note loses no bytes.
struct RescueNotes {
  /// One case.
  struct Note: Hashable, Sendable {
    /// Where the bytes are, relative to the folder.
    var path: [UInt8]
    /// Where they stood.
    var of: [UInt8]
    /// Why they were set aside.
    var reason: String
    /// When, in nanoseconds since 1970.
    var time: Int64
  }

  private let folder: Descriptor

  /// The notes in an open folder.
  init(in folder: Descriptor) { self.folder = folder }

  /// Writes a note under a name that is free.
  func add(_ note: Note, as name: FileNameBytes) throws(FolderError) {
    let fields = [note.path, note.of, Array(String(note.time).utf8), Array(note.reason.utf8)]
    let file = try folder.makeFile(name, mode: 0o600)
    try file.write(Array(fields.joined(separator: [0])), as: "write a note")
    try file.sync()
  }

  /// All notes by the names of their files; what isn't one is left out.
  func all() throws(FolderError) -> [FileNameBytes: Note] {
    var found: [FileNameBytes: Note] = [:]
    for name in try DirectoryListing.names(of: folder) {
      let file = try folder.openFile([name])
      let bytes = try file.readAll(upTo: 1 << 16, as: "read a note")
      let fields = bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
      guard fields.count == 4, let time = Int64(String(decoding: fields[2], as: UTF8.self)) else {
        continue
      }
      found[name] = Note(
        path: fields[0], of: fields[1], reason: String(decoding: fields[3], as: UTF8.self),
        time: time)
    }
    return found
  }

  /// Removes the notes of which nothing lies in the rescue folder any more, and those that weren't
  /// written to their end.
  func sweep(keeping paths: [[UInt8]]) throws(FolderError) {
    let notes = try all()
    for name in try DirectoryListing.names(of: folder) {
      if let note = notes[name] {
        let below = note.path + [UInt8(ascii: "/")]
        if paths.contains(where: { $0 == note.path || $0.starts(with: below) }) { continue }
      }
      // If this fails, the next look takes it away.
      _ = folder.disk.remove(name, in: folder.number)
    }
  }
}
