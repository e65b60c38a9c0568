import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone
import Glibc

/// The operations for views of zones in the file system (`cairn mount`). They read the index, and
/// fetch nothing but the bytes of the files that are read.
struct ViewOperations: Operations {
  /// The largest number of names that one request looks at.
  private static let mostNames = 5_000
  /// The largest number of bytes that one request fetches, unless a chunk is larger.
  private static let mostBytes: Int64 = 32 << 20

  let targets: TargetResolver
  let zones: ViewZones

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ViewOpen.self) { request, _ in try open(request) }
    routes.answer(Control.ViewFind.self) { request, _ in try find(request) }
    routes.answer(Control.ViewList.self) { try list($0, $1) }
    routes.answer(Control.ViewRead.self) { request, _ in try read(request) }
  }

  // MARK: Entries

  private func open(_ request: Control.ViewOpen) throws -> Control.ViewReply {
    let target = try targets.target(request.share, for: Control.ViewOpen.self)
    try HistoryOperations.refresh(target.zone)
    let names = target.relative.split(separator: UInt8(ascii: "/")).map { Array($0) }
    return try target.zone.read { view in
      var record = try view.record(target.mount?.scope.base ?? .root)
      for name in names {
        record = try record.flatMap { try child(of: $0.id, named: name, in: view) }
      }
      guard let record else {
        throw ControlError(
          .unknownItem, "There is no such directory in the share.",
          remedy: "`cairn ls` lists what is there.")
      }
      guard record.type == .directory else {
        throw ControlError(
          .invalidArguments, "Only a folder can be shown elsewhere.",
          remedy: "Name a directory of the share, or the share's id.")
      }
      return Control.ViewReply(
        zone: target.zone.id.description, record: record.id.description,
        title: view.header.share?.title ?? view.header.genesis?.name ?? target.zone.id.digits,
        editable: view.mayWrite)
    }
  }

  private func child(
    of directory: RecordID, named name: [UInt8], in view: ZoneView
  ) throws -> Record? {
    guard let name = FileName(name), let id = try view.child(of: directory, named: name) else {
      return nil
    }
    return try view.record(id)
  }

  private func find(_ request: Control.ViewFind) throws -> Control.ViewFindReply {
    let (zone, id) = try place(request.zone, request.record)
    try zones.refresh(zone)
    let found = try zone.read { view in
      let record =
        if let name = request.name { try child(of: id, named: name.bytes, in: view) } else {
          try view.record(id)
        }
      return record.flatMap { ViewZones.entry(of: $0, in: zone) }
    }
    guard let found else { throw ViewZones.gone }
    return Control.ViewFindReply(entry: try zones.inner(found, of: zone))
  }

  private func list(
    _ request: Control.ViewList, _ stream: ResponseStream
  ) throws -> Control.ViewListReply {
    let (zone, id) = try place(request.zone, request.record)
    try zones.refresh(zone)
    let limit = max(1, min(request.limit, Self.mostNames))
    let (found, next) = try zone.read { view in
      let children = try view.children(of: id, after: request.after?.bytes ?? [], limit: limit)
      let entries = try children.compactMap { child in
        try view.record(child.id).flatMap { ViewZones.entry(of: $0, in: zone) }
      }
      return (entries, children.count < limit ? nil : children.last?.name)
    }
    if !found.isEmpty { try stream.items(try found.map { try zones.inner($0, of: zone) }) }
    return Control.ViewListReply(entries: [], next: next.map { Control.Path($0) })
  }

  private func place(_ zone: String, _ record: String) throws -> (Zone, RecordID) {
    (try zones.zone(zone), try ViewZones.record(record))
  }

  // MARK: Bytes

  private func read(_ request: Control.ViewRead) throws -> Control.ViewReadReply {
    guard let content = ContentID(hexadecimal: request.content), request.offset >= 0,
      request.length > 0
    else {
      throw ControlError(
        .invalidArguments, "The range of the file can't be understood.", remedy: "Try again.")
    }
    let zone = try zones.zone(request.zone)
    let file = try zones.file(request.file, O_WRONLY)
    defer { close(file) }
    let start = UInt64(request.offset)
    let end = start + UInt64(min(request.length, Self.mostBytes))
    guard let part = try zones.layout(of: content, in: zone).part(covering: start..<end) else {
      return Control.ViewReadReply(offset: request.offset, length: 0)
    }
    var offset = part.offset
    try zone.readContent(part.content) { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = pwrite(
          file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(offset))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw ViewZones.unusable(errno) }
        rest = rest.dropFirst(count)
        offset += UInt64(count)
      }
    }
    return Control.ViewReadReply(
      offset: Int64(part.offset), length: Int64(offset - part.offset))
  }
}
