import CairnPlan
import CairnReplica
import CairnZone

/// Large files on their way into the staging folder. Each has a row in the intent log until it is
/// in the folder or removed, so that a transfer continues after an error, a pause or a stop. Every
/// chunk that is there already is checked by its name.
///
/// It uses these parts of the state: `index`, `staging`, `transfers`, `write`, `zone`.
struct PartialFiles {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Loads the noted files at a start. A note without a file is removed.
  /// - Returns: The names to keep in the staging folder.
  func load(_ staging: Staging, _ mount: Int64) throws -> Set<FileNameBytes> {
    let noted = try state.index.read(mount) { try $0.partials.all() }
    guard !noted.isEmpty else { return [] }
    var kept: [RecordID: PartialFile] = [:]
    for (id, file) in noted {
      if try FileStat.at(staging.incoming, file.name)?.kind == .file { kept[id] = file }
    }
    try state.index.write(mount) { tree in
      for id in noted.keys where kept[id] == nil { try tree.partials.forget(id) }
    }
    for (id, file) in kept { state.transfers.note(file, of: id) }
    return Set(kept.values.map(\.name))
  }

  /// The number of bytes of a content that are in the staging folder already.
  func size(_ id: RecordID, _ content: Content, _ staging: Staging) throws -> UInt64 {
    guard let file = state.transfers.partial[id], file.content == content.id,
      let stat = try FileStat.at(staging.incoming, file.name)
    else { return 0 }
    return min(stat.size, content.size)
  }

  /// Returns a download that continues with what is there, and notes it if nothing is.
  func resumed(_ file: DownloadJob.File, _ staging: Staging) throws -> DownloadJob.File {
    var file = file
    file.staysWhenInterrupted = true
    if let known = state.transfers.partial[file.id] {
      if known.content == file.content.id, let source = try source(known, staging) {
        file.name = known.name
        file.continues = true
        file.known = file.known?.adding(source) ?? source
        return file
      }
      try drop(file.id)
    }
    let new = PartialFile(name: file.name, content: file.content.id)
    try state.write { try $0.partials.note(new, of: file.id) }
    state.transfers.note(new, of: file.id)
    return file
  }

  /// The chunks in an incomplete file; nil if it isn't there any more.
  private func source(_ file: PartialFile, _ staging: Staging) throws -> KnownChunks? {
    guard let stat = try FileStat.at(staging.incoming, file.name),
      let all = try state.zone.read({ try $0.parts(of: file.content) })
    else { return nil }
    let incoming = staging.incoming
    let parts = all.filter { $0.value.offset + UInt64($0.value.size) <= stat.size }
    return KnownChunks(parts: parts) { part in
      do throws(FolderError) {
        return try incoming.openFile([file.name]).read(part.size, at: part.offset)
      } catch {
        // The chunk is fetched instead.
        return nil
      }
    }
  }

  /// Forgets the files of these records: they are in the folder, or were removed.
  func forget(_ ids: some Sequence<RecordID>) throws {
    let noted = ids.filter { state.transfers.partial[$0] != nil }
    guard !noted.isEmpty else { return }
    try state.write { tree in for id in noted { try tree.partials.forget(id) } }
    for id in noted { state.transfers.note(nil, of: id) }
  }

  /// Removes the incomplete file of a record.
  func drop(_ id: RecordID) throws {
    guard let file = state.transfers.partial[id] else { return }
    if let staging = try state.staging {
      Stager(incoming: staging.incoming, isReadOnly: false).discard(file.name)
    }
    try forget([id])
  }
}
