import CairnPlan
import CairnReplica
import CairnZone
import Synchronization

/// Fetches contents of the zone into the staging folder. It runs on a thread of an executor, and
/// has no access to the state of the mount.
struct DownloadJob: Sendable {
  /// A file for the staging folder.
  struct File: Sendable {
    var id: RecordID
    var node: Node
    var content: Content
    /// The name in the staging folder.
    var name: FileNameBytes
    /// The earlier version in the folder, if it has chunks of the content.
    var known: KnownChunks?
    /// A Boolean value that indicates whether the file is there in part.
    var continues = false
    /// A Boolean value that indicates whether the file stays if the transfer is interrupted.
    var staysWhenInterrupted = false
  }

  /// The outcomes of all files.
  struct Result: Sendable {
    var files: [File]
    var isReadOnly: Bool
    var token: TransferToken
    /// The files that were tried; nil for a complete one.
    var outcomes: [RecordID: StageTrouble?] = [:]
    /// A Boolean value that indicates whether the log may have been read further meanwhile.
    var hasPulled = false
    /// The error that ended it early.
    var error: (any Error)?
  }

  /// The size in bytes of a file that is made durable here, so that no sync cycle waits for it.
  private static let large: UInt64 = 8 << 20

  let files: [File]
  let stager: Stager
  let zone: Zone
  let lanes: Int
  let token: TransferToken
  let end: EndWatch

  var size: UInt64 { files.reduce(0) { $0 + $1.content.size } }

  /// Fetches all of the files.
  func run() -> Result {
    var result = Result(files: files, isReadOnly: stager.isReadOnly, token: token)
    let done = Mutex<[RecordID: StageTrouble?]>([:])
    do {
      try token.begin()
      let known = files.enumerated().compactMap { number, file in
        file.known.map { (number, $0) }
      }
      try zone.readContents(
        files.map(\.content), lanes: files.count > 1 ? 1 : lanes,
        known: Dictionary(uniqueKeysWithValues: known),
        onFetch: { [end] in try end.received($0) }
      ) { number, read in
        let file = files[number]
        let trouble = try fetch(file, read)
        done.withLock { $0[file.id] = .some(trouble) }
      }
    } catch {
      result.error = error
    }
    result.outcomes = done.withLock { $0 }
    result.hasPulled = end.takePulled()
    return result
  }

  private func fetch(_ file: File, _ read: Zone.ContentLender) throws -> StageTrouble? {
    // What was written in vain is taken back; an interrupted file may stay.
    var told = 0
    var isKept = file.staysWhenInterrupted
    defer { if !isKept { token.tell(-told) } }
    let trouble = try stager.tryStage(
      file.id, file.node, as: file.name, from: read, continues: file.continues,
      staysWhenInterrupted: file.staysWhenInterrupted, token: token
    ) { count in
      told += count
      token.tell(count)
    }
    if trouble == nil, file.content.size >= Self.large {
      do { try stager.makeDurable([file.name]) } catch let error as FolderError {
        stager.discard(file.name)
        isKept = false
        return .folder(error)
      }
    }
    isKept = trouble == nil
    return trouble
  }
}
