import CairnIndex
import CairnStore
public import CairnZone

/// The public database: a zone for each person, which everybody who can read the container reads,
/// and in which nobody else writes. So nobody can be in another's way there. Its id and its key
/// follow from the container's id and the person's.
extension ZoneID {
  /// The public zone of a person in a container.
  public static func `public`(in container: ContainerID, by author: UserID) -> ZoneID {
    ZoneID(Crypto.digest("cairn public zone v1", container.bytes, author.bytes))
  }
}

extension ZoneKey {
  /// The one key of a public zone: no secret, since the zone's id is none. With it the same log and
  /// the same packs serve as elsewhere.
  static func `public`(of zone: ZoneID) -> ZoneKey {
    guard let secret = SecretBytes(Crypto.digest("cairn public key v1", zone.bytes).bytes)
    else { preconditionFailure("a digest of another size than a key") }
    return ZoneKey(epoch: 1, secret: secret)
  }
}

/// The public zones of a container: of each person one, whether they have put something into it or
/// not.
public struct PublicZones: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// This person's own public zone, whether they have put something into it or not.
  public func own() throws -> Zone { try zone(of: container.account.user) }

  /// The public zone of a person, whether they have put something into it or not.
  public func zone(of author: UserID) throws -> Zone {
    let id = ZoneID.public(in: container.id, by: author)
    return try container.zone(
      id, founder: author, owner: author, scope: .public, keys: Keyring([.public(of: id)]))
  }

  /// The public zones of all who have published something, as far as this device has read it or the
  /// container shows it, by the ids of the people. It costs a look at a folder for each person.
  /// - Throws: `CloudError` if the container can't be read; what is known already is there without
  ///   it, once it was read.
  public func all() throws -> [Zone] {
    var authors = try knownAuthors()
    do {
      for user in try container.people.users() where !authors.contains(user) {
        let folder = ZoneFolder(
          zone: .public(in: container.id, by: user), founder: user, kind: .public)
        if try shows(folder), try hasBegun(user) { authors.insert(user) }
      }
    } catch let error as StoreError {
      // What was read before holds without the container.
      guard error.isWorthRetrying, !authors.isEmpty else { throw CloudError(error) }
    }
    return try authors.sorted().map { try zone(of: $0) }
  }

  /// Whether anything stands in a folder; one that nobody may look into says nothing of others.
  private func shows(_ folder: ZoneFolder) throws(StoreError) -> Bool {
    do throws(StoreError) {
      return try !container.store.list(folder.log + "/", after: nil, limit: 1).isEmpty
    } catch {
      guard !error.isWorthRetrying else { throw error }
      return false
    }
  }

  /// Whether somebody's chain says that they publish: rubbish in folders makes no zones here.
  private func hasBegun(_ user: UserID) throws -> Bool {
    do {
      if try container.people.recall(user)?.publicLock != nil { return true }
      return try container.people.refresh(user)?.publicLock != nil
    } catch is IdentityError {
      return false
    }
  }

  /// Those of whose public zones something was read here.
  private func knownAuthors() throws -> Set<UserID> {
    guard let index = container.indexes[.public] else {
      preconditionFailure("a scope without an index")
    }
    return Set(try index.read { try IndexRow.headers($0) }.compactMap { $0.genesis?.owner })
  }

  /// Whose public zone that is; nil if it is nobody's who is known here, or shown.
  func author(of zone: ZoneID) throws -> UserID? {
    func isTheirs(_ user: UserID) -> Bool { .public(in: container.id, by: user) == zone }
    if isTheirs(container.account.user) { return container.account.user }
    if let known = try knownAuthors().first(where: isTheirs) { return known }
    do { return try container.people.users().first(where: isTheirs) } catch {
      // Without the container, or its lists, nobody else is known.
      guard error.isWorthRetrying || error.code == .unlisted else { throw CloudError(error) }
      return nil
    }
  }

  /// This person's own public zone, begun if it wasn't, for somebody who wants to write into it.
  /// - Throws: `CloudError` with `.notAuthenticated` in an anonymous home.
  public func founded() throws -> Zone {
    try container.requireAccount()
    let zone = try own()
    guard zone.header.genesis == nil else { return zone }
    // The chain says where the first entry stands, so that nobody can be there before.
    _ = try container.people.append(to: container.account) { me in
      me.publicLock == nil ? .beginPublic(zone.folder) : nil
    }
    try zone.found(named: "Public")
    return zone
  }
}
