import CairnContainer
import CairnControl
import CairnReplica
import CairnZone
import Glibc

/// A directory as it was at a place of the log, with all below it: walked in portions, a directory
/// before what is in it, names in the order of their bytes.
struct PastTree {
  let past: JoinedPast
  /// The moment.
  let place: UInt64

  private static let portion = 512

  /// A version with its names from the start of the walk.
  typealias Entry = (version: RecordVersion, names: [[UInt8]])

  /// Walks through it.
  /// - Parameters:
  ///   - directory: Where it begins; it isn't told itself.
  ///   - recursive: With everything below.
  ///   - body: Is handed each portion.
  /// - Throws: what `body` throws.
  func forEachPortion(
    of directory: RecordID, recursive: Bool, _ body: ([Entry]) throws -> Void
  ) throws {
    var walk = TreeWalk(from: directory, path: [])
    var isMore = true
    while isMore {
      var found: [Entry] = []
      isMore = try past.read { view in
        try walk.go(
          Self.portion,
          page: { directory, name in
            let children = try view.children(
              of: directory, at: place, after: name, limit: Self.portion)
            return TreeWalk.Page(
              children: children, rest: children.count < Self.portion ? nil : children.last?.name)
          },
          visit: { id, names in
            guard let version = try view.version(of: id, at: place) else { return false }
            found.append((version, names))
            return recursive && version.record.type == .directory
          })
      }
      if !found.isEmpty { try body(found) }
    }
  }

  // MARK: As plain files

  /// The written amounts.
  struct Written {
    var files = 0
    var bytes: Int64 = 0
  }

  /// Writes a file or symlink; what is there is replaced if it is a file or symlink, too.
  /// - Parameters:
  ///   - record: The version.
  ///   - path: The destination.
  ///   - asFile: A Boolean value that indicates whether the target of a symlink is written as the
  ///     content of a file. A reader of the destination would otherwise follow the link.
  ///   - written: The written amounts.
  /// - Throws: `ControlError` if the content isn't kept, or can't be written.
  func write(
    _ record: Record, to path: Control.Path, asFile: Bool = false, _ written: inout Written
  ) throws {
    switch record.type {
    case .file:
      guard let content = record.content else { return }
      guard try past.read({ try $0.hasChunks(of: content) }) else {
        throw ControlError(
          .assetNotAvailable, "The bytes of that version of \(path) aren't kept any more.",
          remedy: "`cairn history` shows other versions.", path: path)
      }
      try PlainFile.write(
        path, isExecutable: record.attributes.isExecutable, modified: record.attributes.modified
      ) { write in try past.readContent(content, write) }
      written.bytes += Int64(clamping: content.size)
    case .symlink:
      guard let target = record.target else { return }
      if asFile {
        try PlainFile.write(path, isExecutable: false, modified: record.attributes.modified) {
          write in try target.withUnsafeBytes(write)
        }
      } else {
        let made = target.withPath { target in path.bytes.withPath { symlink(target, $0) } }
        guard made == 0 else { throw PlainFile.failure("be made", path) }
      }
    case .directory, .reference, .typed: return
    }
    written.files += 1
  }

  /// Writes a directory with all below it into one that is new or empty.
  /// - Parameters:
  ///   - directory: The record.
  ///   - path: Where to.
  ///   - progress: Is told how many files there are so far.
  /// - Returns: how much was written.
  /// - Throws: `ControlError` if something is there already, or can't be written.
  func write(
    _ directory: RecordID, to path: Control.Path, _ progress: (Int) -> Void
  ) throws -> Written {
    try Self.makeEmpty(path)
    var written = Written()
    try forEachPortion(of: directory, recursive: true) { entries in
      for (version, names) in entries {
        let below = names.joined(separator: [UInt8(ascii: "/")])
        let path = Control.Path(path.bytes + [UInt8(ascii: "/")] + below)
        if version.record.type == .directory {
          guard path.bytes.withPath({ mkdir($0, 0o777) }) == 0 else {
            throw PlainFile.failure("be made", path)
          }
        } else {
          try write(version.record, to: path, &written)
        }
      }
      progress(written.files)
    }
    return written
  }

  private static func makeEmpty(_ path: Control.Path) throws {
    if path.bytes.withPath({ mkdir($0, 0o777) }) == 0 { return }
    let isEmpty = try errno == EEXIST && PublicExport.isEmpty(path)
    guard isEmpty else {
      guard errno == EEXIST || errno == 0 else { throw PlainFile.failure("be made", path) }
      throw ControlError(
        .constraintViolation, "\(path) has something in it.",
        remedy: "Name a folder that is empty, or one that doesn't exist.", path: path)
    }
  }
}
