import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
public import CairnZone

/// The public database: a zone for each person, which every reader of the container reads, and only
/// its author writes. So nobody hinders others there. Its id and its key follow from the ids of the
/// container and the person.
extension ZoneID {
  /// The public zone of a person in a container.
  public static func `public`(in container: ContainerID, by author: UserID) -> ZoneID {
    ZoneID(Crypto.digest("cairn public zone v1", container.bytes, author.bytes))
  }
}

extension ZoneKey {
  /// The only key of a public zone. It is no secret, because the zone's id is none. So the formats
  /// of logs and packs are the same as elsewhere.
  static func `public`(of zone: ZoneID) -> ZoneKey {
    guard let secret = SecretBytes(Crypto.digest("cairn public key v1", zone.bytes).bytes)
    else { preconditionFailure("a digest of another size than a key") }
    return ZoneKey(epoch: 1, secret: secret)
  }
}

/// The public zones of a container: one for each person, even if it is empty.
///
/// It uses these parts of the container: `account`, `id`, `indexes`, `people`, `requireAccount`,
/// `store`, `zone`.
public struct PublicZones: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  /// This person's own public zone, even if it is empty.
  public func own() throws -> Zone { try zone(of: container.account.user) }

  /// The public zone of a person, even if it is empty.
  public func zone(of author: UserID) throws -> Zone {
    let id = ZoneID.public(in: container.id, by: author)
    return try container.zone(
      id, founder: author, owner: author, scope: .public, keys: Keyring([.public(of: id)]))
  }

  /// The public zones of all authors, as far as this device has read them or the container shows
  /// them, by the ids of the people. It costs one read of a folder for each person.
  /// - Throws: `CloudError` if the container cannot be read; known zones are returned without it
  ///   after the first read.
  public func all() throws -> [Zone] {
    var authors = try knownAuthors()
    do {
      for user in try container.people.users() where !authors.contains(user) {
        let folder = ZoneFolder(
          zone: .public(in: container.id, by: user), founder: user, kind: .public)
        if try shows(folder), try hasBegun(user) { authors.insert(user) }
      }
    } catch let error as StoreError {
      // Earlier reads hold without the container.
      guard error.isWorthRetrying, !authors.isEmpty else { throw CloudError(error) }
    }
    return try authors.sorted().map { try zone(of: $0) }
  }

  /// Returns whether a folder contains anything. An unreadable folder says nothing about others.
  private func shows(_ folder: ZoneFolder) throws(StoreError) -> Bool {
    do throws(StoreError) {
      return try !container.store.list(folder.log + "/", after: nil, limit: 1).isEmpty
    } catch {
      guard !error.isWorthRetrying else { throw error }
      return false
    }
  }

  /// Returns whether a person's chain says that they publish: garbage in folders makes no zones
  /// here.
  private func hasBegun(_ user: UserID) throws -> Bool {
    do {
      if try container.people.recall(user)?.publicLock != nil { return true }
      return try container.people.refresh(user)?.publicLock != nil
    } catch is IdentityError {
      return false
    }
  }

  /// The authors whose public zones were read here.
  private func knownAuthors() throws -> Set<UserID> {
    guard let index = container.indexes[.public] else {
      preconditionFailure("a scope without an index")
    }
    return Set(try index.read { try IndexRow.headers($0) }.compactMap { $0.genesis?.owner })
  }

  /// The author of a public zone; nil if the author is not known or shown here.
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

  /// This person's own public zone, created if needed, for writing.
  /// - Throws: `CloudError` with `.notAuthenticated` in an anonymous home.
  public func founded() throws -> Zone {
    try container.requireAccount()
    let zone = try own()
    guard zone.header.genesis == nil else { return zone }
    // The chain names the position of the first entry, so that nobody can be there before.
    _ = try container.people.append(to: container.account) { me in
      me.publicLock == nil ? .beginPublic(zone.folder) : nil
    }
    try zone.found(named: "Public")
    return zone
  }
}
