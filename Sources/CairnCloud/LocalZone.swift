import CairnContainer
import CairnIdentity
import CairnReplica
import CairnZone

/// A zone of a container that this process has open.
struct LocalZone: ZoneEngine {
  let inner: Zone
  let container: Container

  init(_ inner: Zone, of container: Container) {
    (self.inner, self.container) = (inner, container)
  }

  var id: ZoneID { ZoneID(inner.id) }

  var name: String { inner.header.genesis?.name ?? "" }

  var owner: PersonID { PersonID(inner.header.owner ?? inner.folder.founder) }

  var canEdit: Bool { isUnfounded || inner.header.mayWrite(container.account.user) }

  /// A Boolean value that indicates whether this is the public zone of this person, and nothing was
  /// saved there yet.
  private var isUnfounded: Bool {
    inner.scope == .public && inner.folder.founder == container.account.user
      && inner.header.genesis == nil
  }

  /// Prepares the zone for the first thing that is stored in it.
  private func found() throws {
    if isUnfounded { _ = try container.publicZones.founded() }
  }

  func refresh() throws -> UInt64 {
    try inner.pull()
    return inner.header.sequence
  }

  func record(_ id: RecordID) throws -> CloudRecord? {
    try inner.read { try $0.record(id.inner) }.flatMap { CloudRecord($0) }
  }

  func freshRecord(_ id: RecordID) throws -> CloudRecord? {
    try inner.pull()
    return try record(id)
  }

  /// Returns whether all records are in the zone, as of the last refresh.
  func hasAll(_ records: [RecordID]) throws -> Bool {
    try inner.read { view in
      try records.allSatisfy { try view.record($0.inner) != nil }
    }
  }

  func page(of query: CloudQuery, _ part: QueryPart) throws -> QueryPage {
    if part.isRefreshing { try inner.pull() }
    return try query.page(in: inner, limit: part.limit, after: part.cursor)
  }

  func changes(since token: ZoneToken?, limit: Int) throws -> ZoneChanges {
    try inner.pull()
    let token = try token.map { try ChangeToken(parsing: $0.text) }
    return try inner.read { view in
      let place = try token.map { try view.place(of: $0) } ?? 0
      let (ids, through) = try view.changes(after: place, limit: limit)
      var (changed, deleted): ([CloudRecord], [ZoneChanges.Deletion]) = ([], [])
      for id in ids {
        if let record = try view.record(id) {
          if let value = CloudRecord(record) { changed.append(value) }
        } else if place > 0, case .typed(let type)? = try view.deletedType(of: id) {
          deleted.append(ZoneChanges.Deletion(id: RecordID(id), type: type))
        }
      }
      return ZoneChanges(
        changed: changed, deleted: deleted,
        token: ZoneToken(text: try view.token(at: through).text),
        moreComing: through < view.header.sequence)
    }
  }

  func follow(_ hint: @escaping @Sendable () -> Void) throws -> any Sendable {
    try inner.follow(hint)
  }

  func save(_ changes: RecordChanges) throws -> [CloudRecord] { try save(changes, noting: nil) }

  /// Saves records, and notes each attempt.
  func save(_ changes: RecordChanges, noting notes: CommitNotes?) throws -> [CloudRecord] {
    try found()
    let commit = RecordCommit(
      zone: inner, author: container.account.author, changes: changes, notes: notes)
    return try commit.run()
  }

  func upload(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Asset {
    try found()
    return Asset(try inner.ingest(fill))
  }

  func download(_ asset: Asset, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try inner.readContent(asset.content, body)
  }

  func share(_ records: [RecordID], title: String) throws -> any ZoneEngine {
    let zone = try container.recordMoves.share(records.map(\.inner), of: inner, title: title)
    return LocalZone(zone, of: container)
  }

  func move(_ records: [RecordID], to zone: ZoneID) throws {
    guard let target = try container.zone(zone.inner) else {
      throw CloudError(.zoneNotFound, "this container has no zone \(zone)")
    }
    try container.recordMoves.move(records.map(\.inner), from: inner, to: target)
  }

  func history(of id: RecordID) throws -> [CloudRecord] {
    try inner.pull()
    return try container.formers.versions(of: id.inner, in: inner).compactMap { CloudRecord($0) }
  }

  func perform(_ act: ShareAct) throws -> Share? {
    if case .leave = act {
      try container.participation.leave(inner)
      try container.participation.forgetEverything(of: inner)
      return nil
    }
    try inner.pull()
    switch act {
    case .show, .leave: break
    case .share(let title): return Share(try container.sharing.share(inner, title: title))
    case .invite(let people, let permission):
      return Share(
        try container.sharing.invite(
          people.map(\.inner), to: inner, permission: permission?.inner))
    case .setPermission(let permission, let person):
      try container.access.setPermission(permission.inner, of: person.inner, in: inner)
    case .setPublic(let permission):
      try container.access.setPublic(permission?.inner ?? .none, of: inner)
    case .remove(let person): try container.access.remove(person.inner, from: inner)
    case .stop: try container.access.stopSharing(inner)
    }
    return inner.header.share.map { Share($0) }
  }

  func link() throws -> String {
    try inner.pull()
    let isPublic = try share().publicPermission != .none
    let secret = isPublic ? try container.links.publicLink(to: inner) : nil
    return container.links.link(to: inner, secret: secret).text
  }

  func oneTimeLink(_ permission: Share.Permission, secret: SecretBytes) throws -> String {
    try inner.pull()
    if try share().links[Links.linkID(of: secret)] == nil {
      _ = try container.links.oneTimeLink(
        to: inner, permission: permission.inner, secret: secret)
    }
    return container.links.link(to: inner, secret: secret).text
  }

  private func share() throws -> CairnZone.Share {
    guard let share = inner.header.share else {
      throw CloudError(.unknownItem, "the zone isn't shared")
    }
    return share
  }
}
