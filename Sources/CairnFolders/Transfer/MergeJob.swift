import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Merges the version of a text in the folder with the one in the zone, by their common base, and
/// stores the chunks of the result. It runs on a thread of an executor, and has no access to the
/// state of the mount.
struct MergeJob: Sendable {
  /// The three versions.
  struct Versions: Hashable, Sendable {
    var base: ContentID
    var local: ContentID
    var remote: ContentID
  }

  /// The outcome of an attempt.
  enum Outcome: Sendable {
    /// The lines merged cleanly. The chunks of both contents are stored.
    case merged(Content, local: Content)
    /// They didn't, or one of the three isn't a text.
    case isConflict
    /// The file isn't the one of the last scan any more, or can't be read now.
    case isAnother
  }

  /// The result of an attempt.
  struct Result: Sendable {
    var file: UploadJob.File
    var versions: Versions
    var token: TransferToken
    var outcome = Outcome.isConflict
    /// The error that ended it early.
    var error: (any Error)?
  }

  /// The size in bytes of its buffers, at most: three texts, their lines, and the difference.
  static let memory = 32 << 20

  let file: UploadJob.File
  let base: Content
  let remote: Content
  let root: Descriptor
  let zone: Zone
  let token: TransferToken

  /// The number of bytes that it reads.
  var size: UInt64 { base.size + remote.size + file.local.size }

  /// Reads and merges the three versions.
  func run(of versions: Versions) -> Result {
    var result = Result(file: file, versions: versions, token: token)
    do {
      try token.begin()
      result.outcome = try merge(versions)
    } catch let error as CloudError where error.isOfObject {
      // A version can't be read any more, so that there is nothing to merge with.
      result.outcome = .isConflict
    } catch is ContentError {
      result.outcome = .isConflict
    } catch {
      result.error = error
    }
    return result
  }

  private func merge(_ versions: Versions) throws -> Outcome {
    guard let local = read() else { return .isAnother }
    try token.check()
    let (old, other) = (try read(base), try read(remote))
    guard let merged = TextMerge.merge(base: old, local, other) else { return .isConflict }
    try token.check()
    var contents: [Content] = []
    try zone.ingestAll { ingest in
      for text in [local, merged] { contents.append(try ingest(Self.source(of: text))) }
    }
    guard contents[0].id == versions.local else { return .isAnother }
    return .merged(contents[1], local: contents[0])
  }

  /// Reads the file of the folder; nil if it changed since the last scan, or can't be read.
  private func read() -> [UInt8]? {
    do throws(FolderError) {
      let open = try root.openFile(file.path)
      let before = try FileStat.of(open)
      guard file.row.isSameInode(as: before), file.row.hasSameBytes(as: before) else { return nil }
      let bytes = try open.readAll(upTo: TextMerge.mostBytes, as: "read the file")
      guard try FileStat.of(open) == before, before.size == UInt64(bytes.count) else { return nil }
      return bytes
    } catch {
      return nil
    }
  }

  private func read(_ content: Content) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try zone.readContent(content) { bytes += $0 }
    return bytes
  }

  /// Returns a function that hands out the bytes of a text in parts.
  private static func source(
    of text: [UInt8]
  ) -> (UnsafeMutableRawBufferPointer) throws -> Int {
    var rest = text[...]
    return { room in
      let count = min(room.count, rest.count)
      room.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
  }
}
