import CairnControl
import CairnIdentity
import CairnZone
import Synchronization

/// A zone of a container that a daemon has open.
final class DaemonZone: ZoneEngine {
  /// The number of bytes that are sent together: in base64 they fit into a request.
  private static let piece = 512 << 10

  let id: ZoneID
  let name: String
  let owner: PersonID
  private let session: ProgramSession
  private let mayEdit: Mutex<Bool>

  init(_ wire: Control.ProgramZone, _ session: ProgramSession) throws {
    (id, name, owner) = (try ZoneID(wire: wire.id), wire.name, try PersonID(wire: wire.owner))
    self.session = session
    mayEdit = Mutex(wire.canEdit)
  }

  private var secret: String { session.secret }
  private var zone: String { id.description }

  var canEdit: Bool { mayEdit.withLock { $0 } }

  func refresh() throws -> UInt64 {
    try session.list(Control.ProgramRecords(token: secret, zone: zone)).sequence
  }

  func record(_ id: RecordID) throws -> CloudRecord? { try record(id, isRefreshing: false) }

  func freshRecord(_ id: RecordID) throws -> CloudRecord? { try record(id, isRefreshing: true) }

  private func record(_ id: RecordID, isRefreshing: Bool) throws -> CloudRecord? {
    let request = Control.ProgramRecords(
      token: secret, zone: zone, records: [id.description], isRefreshing: isRefreshing)
    return try session.list(request).records.first.map { try CloudRecord($0) }
  }

  func page(of query: CloudQuery, _ part: QueryPart) throws -> QueryPage {
    let request = Control.ProgramRecords(
      token: secret, zone: zone, query: query.wire, limit: part.limit, cursor: part.cursor?.wire,
      isRefreshing: part.isRefreshing)
    let reply = try session.list(request)
    return (
      try reply.records.map { try CloudRecord($0) },
      try reply.cursor.map { try CloudQuery.Cursor(wire: $0) }
    )
  }

  func changes(since token: ZoneToken?, limit: Int) throws -> ZoneChanges {
    let request = Control.ProgramChanges(
      token: secret, zone: zone, since: token?.text, limit: limit)
    let reply = try session.list(request)
    mayEdit.withLock { $0 = reply.canEdit }
    return ZoneChanges(
      changed: try reply.changed.map { try CloudRecord($0) },
      deleted: try reply.deleted.map {
        ZoneChanges.Deletion(id: try RecordID(wire: $0.id), type: $0.type)
      }, token: ZoneToken(text: reply.token), moreComing: reply.moreComing)
  }

  func follow(_ hint: @escaping @Sendable () -> Void) throws -> any Sendable {
    try session.followed.follow(id, hint)
  }

  func save(_ changes: RecordChanges) throws -> [CloudRecord] {
    guard !(changes.saving.isEmpty && changes.deleting.isEmpty && changes.gone.isEmpty) else {
      return []
    }
    let request = Control.ProgramModify(
      token: secret, zone: zone, operation: hexadecimal(Crypto.random(16)),
      saving: changes.saving.map(\.wireWithChanges),
      deleting: changes.deleting.map(\.wireWithChanges), gone: changes.gone.map(\.description),
      policy: changes.policy.wire, sequence: changes.sequence)
    let reply = try session.ask(request)
    guard let failure = reply.error else { return try reply.records.map { try CloudRecord($0) } }
    var error = CloudError(failure)
    let records = changes.saving + changes.deleting
    error.conflicts = try reply.conflicts.compactMap { conflict in
      let id = try RecordID(wire: conflict.id)
      guard let client = records.first(where: { $0.id == id }) else { return nil }
      return CloudError.Conflict(
        client: client, server: try conflict.server.map { try CloudRecord($0) },
        ancestor: client.ancestor)
    }
    error.records = try reply.failed.map { try RecordID(wire: $0) }
    throw error
  }

  func upload(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Asset {
    let name = hexadecimal(Crypto.random(16))
    var (sent, buffer) = (Int64(0), [UInt8](repeating: 0, count: Self.piece))
    while true {
      let count = try buffer.withUnsafeMutableBytes { try Self.full($0, fill) }
      let reply = try session.ask(
        Control.ProgramUpload(
          token: secret, zone: zone, id: name, offset: sent,
          piece: Control.base64(buffer[..<count]), isLast: count < buffer.count))
      sent += Int64(count)
      guard count < buffer.count else { continue }
      guard let asset = reply.asset else { throw CloudError.unreadable("an asset") }
      return try Asset(asset)
    }
  }

  /// Fills a buffer as far as there are bytes.
  private static func full(
    _ buffer: UnsafeMutableRawBufferPointer,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = try fill(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  func download(_ asset: Asset, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try session.pieces(
      Control.ProgramDownload(token: secret, zone: zone, asset: asset.wire), body)
  }

  func share(_ records: [RecordID], title: String) throws -> any ZoneEngine {
    let request = Control.ProgramMove(
      token: secret, zone: zone, records: records.map(\.description), title: title)
    guard let zone = try session.ask(request).zones.first else {
      throw CloudError(.zoneNotFound, "the new zone was deleted meanwhile")
    }
    return try DaemonZone(zone, session)
  }

  func move(_ records: [RecordID], to target: ZoneID) throws {
    _ = try session.ask(
      Control.ProgramMove(
        token: secret, zone: zone, records: records.map(\.description), to: target.description))
  }

  func history(of id: RecordID) throws -> [CloudRecord] {
    let request = Control.ProgramHistory(token: secret, zone: zone, record: id.description)
    return try session.list(request).records.map { try CloudRecord($0) }
  }

  func perform(_ act: ShareAct) throws -> Share? {
    try Share(session.ask(act.wire(token: secret, zone: id)))
  }

  func link() throws -> String {
    try session.ask(Control.ProgramLink(token: secret, zone: zone)).link
  }

  func oneTimeLink(_ permission: Share.Permission, secret: SecretBytes) throws -> String {
    try session.ask(
      Control.ProgramLink(
        token: self.secret, zone: zone, secret: hexadecimal(secret.copy()),
        permission: permission.wire)
    ).link
  }
}
