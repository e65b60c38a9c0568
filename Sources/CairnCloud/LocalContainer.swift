import CairnContainer
import CairnIdentity
import CairnReplica
import CairnZone

/// A container that this process has open.
struct LocalContainer: ContainerEngine {
  let inner: Container

  var me: PersonID { PersonID(inner.account.user) }

  func person(_ handle: String) throws -> PersonID? {
    try inner.people.find(handle: handle).map { PersonID($0.id) }
  }

  func profile(of person: PersonID) throws -> (handle: String, name: String)? {
    try inner.people.person(person.inner).map { ($0.handle, $0.name) }
  }

  func invitations() throws -> [ShareInvitation] {
    try inner.participation.invitations().map { ShareInvitation($0) }
  }

  func accept(_ zone: ZoneID) throws -> any ZoneEngine {
    LocalZone(try inner.participation.accept(zone.inner), of: inner)
  }

  func invitation(link: String) throws -> ShareInvitation {
    let link = try known(link)
    if let offer = try inner.links.offer(link) { return ShareInvitation(offer) }
    guard let zone = try inner.zone(link.zone), let share = zone.header.share else {
      throw CloudError(.unknownItem, "the share was stopped")
    }
    let mine = share.participants[inner.account.user]?.permission
    return ShareInvitation(
      zone: ZoneID(zone.id), title: share.title, inviter: PersonID(share.owner),
      permission: mine.map { Share.Permission($0) } ?? .readWrite)
  }

  func accept(link: String) throws -> any ZoneEngine {
    LocalZone(try inner.links.accept(known(link)), of: inner)
  }

  /// Returns the link with a text, if it leads to this container.
  private func known(_ text: String) throws -> ShareLink {
    let link: ShareLink
    do { link = try ShareLink(parsing: text) } catch {
      throw CloudError(.invalidArguments, error.description)
    }
    guard link.container == inner.id else {
      throw CloudError(.badContainer, "the link leads to a share in another container")
    }
    return link
  }

  func publicZone(of person: PersonID) throws -> any ZoneEngine {
    let isHere =
      try person == me || inner.people.recall(person.inner) != nil
      || inner.people.refresh(person.inner) != nil
    guard isHere else {
      throw CloudError(.notAuthenticated, "nobody in the container is \(person)")
    }
    return LocalZone(try inner.publicZones.zone(of: person.inner), of: inner)
  }

  func zones(in scope: DatabaseScope) throws -> [any ZoneEngine] {
    try inner.refresh()
    return try database(scope).zones().map { LocalZone($0, of: inner) }
  }

  func zone(_ id: ZoneID, in scope: DatabaseScope) throws -> (any ZoneEngine)? {
    if let known = try database(scope).zone(id.inner) { return LocalZone(known, of: inner) }
    try inner.refresh()
    return try database(scope).zone(id.inner).map { LocalZone($0, of: inner) }
  }

  func zone(named name: String, in scope: DatabaseScope) throws -> any ZoneEngine {
    LocalZone(try database(scope).zone(named: name), of: inner)
  }

  func delete(_ zone: ZoneID, in scope: DatabaseScope) throws {
    try scope.requireDeletable()
    guard let found = try database(scope).zone(zone.inner) else {
      throw CloudError(.zoneNotFound, "this database has no zone \(zone)")
    }
    try inner.ownership.purge(found)
    try inner.participation.forgetEverything(of: found)
  }

  func follow(
    in scope: DatabaseScope, _ hint: @escaping @Sendable () -> Void
  ) throws -> [any Sendable] {
    try inner.followAccount(hint) + database(scope).zones().map { try $0.follow(hint) }
  }

  func changes(in scope: DatabaseScope, since token: DatabaseToken?) throws -> DatabaseChanges {
    try changes(in: scope, since: token) { _ in true }
  }

  /// Returns the changes of those zones that `isVisible` selects.
  func changes(
    in scope: DatabaseScope, since token: DatabaseToken?, isVisible: (ZoneID) throws -> Bool
  ) throws -> DatabaseChanges {
    let before = try token.map { try $0.heads(in: scope) } ?? [:]
    try inner.refresh()
    var now: [ZoneID: String] = [:]
    for zone in try database(scope).zones() where try isVisible(ZoneID(zone.id)) {
      do { try zone.pull() } catch let error as CairnIdentity.CloudError {
        // A damaged zone is as it was last read here; `CloudZone.changes` has the error.
        guard !error.isWorthRetrying else { throw error }
      }
      // A zone that ended stays known until it is left.
      guard zone.header.rights(of: inner.account.user).contains(.read) else { continue }
      now[ZoneID(zone.id)] = zone.header.token.text
    }
    return DatabaseChanges(
      changed: now.keys.filter { now[$0] != before[$0] }.sorted { $0.inner < $1.inner },
      deleted: before.keys.filter { now[$0] == nil }.sorted { $0.inner < $1.inner },
      token: DatabaseToken(now, in: scope))
  }

  private func database(_ scope: DatabaseScope) -> Database {
    switch scope {
    case .private: inner.privateDatabase
    case .shared: inner.sharedDatabase
    case .public: inner.publicDatabase
    }
  }
}
