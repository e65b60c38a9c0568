import Glibc

/// The reasons and times of rescues, stored beside the rescue folder in one file for each case. The
/// files may stay there for long, and the reason must not be lost with the daemon. A lost note
/// loses no bytes.
struct RescueNotes {
  /// One case.
  struct Note: Hashable, Sendable {
    /// The path of the rescued file, relative to the folder.
    var path: [UInt8]
    /// The earlier path.
    var of: [UInt8]
    /// The reason.
    var reason: String
    /// The time in nanoseconds since 1970.
    var time: Int64
  }

  private let folder: Descriptor

  /// The notes in an open folder.
  init(in folder: Descriptor) { self.folder = folder }

  /// Writes a note under a free name.
  func add(_ note: Note, as name: FileNameBytes) throws(FolderError) {
    let fields = [note.path, note.of, Array(String(note.time).utf8), Array(note.reason.utf8)]
    let file = try folder.makeFile(name, mode: 0o600)
    try file.write(Array(fields.joined(separator: [0])), as: "write a note")
    try file.sync()
  }

  /// All notes by the names of their files; other files are skipped.
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

  /// Removes unfinished notes, and notes without a file in the rescue folder.
  func sweep(keeping paths: [[UInt8]]) throws(FolderError) {
    let notes = try all()
    // The files, and the directories that contain them.
    var kept: Set<[UInt8]> = []
    for path in paths {
      var path = path[...]
      while kept.insert(Array(path)).inserted, let end = path.lastIndex(of: UInt8(ascii: "/")) {
        path = path[..<end]
      }
    }
    for name in try DirectoryListing.names(of: folder) {
      if let note = notes[name], kept.contains(note.path) { continue }
      // If this fails, the next check removes it.
      _ = folder.disk.remove(name, in: folder.number)
    }
  }
}
