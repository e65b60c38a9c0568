import CairnReplica

/// A container with the data of several people, as one of them uses it (CKContainer). Its calls
/// never block a thread of the cooperative pool. Types of this library are values, except for this
/// one: it keeps the home open as long as it exists. Containers of one process may share a home.
public final class CloudContainer: Sendable {
  let engine: any ContainerEngine
  let work: Work
  /// The home, if this process has it open.
  private let home: HomeContainer?

  /// Opens a container, and creates what is missing: the container, the person, the index.
  /// - Parameters:
  ///   - place: The storage.
  ///   - identity: The person.
  /// - Returns: The container.
  /// - Throws: `CloudError`; with `.homeInUse` if another process has the home open.
  public static func open(
    _ place: CloudPlace, as identity: Identity
  ) async throws(CloudError) -> CloudContainer {
    let work = try Work()
    return try await work.run {
      let home = try HomeContainer(place, identity)
      return CloudContainer(home.engine, work, home)
    }
  }

  init(_ engine: any ContainerEngine, _ work: Work, _ home: HomeContainer? = nil) {
    (self.engine, self.work, self.home) = (engine, work, home)
  }

  /// The person who uses the container.
  public var me: PersonID { engine.me }

  /// The database of zones that this person owns.
  public var privateDatabase: CloudDatabase { CloudDatabase(container: self, scope: .private) }

  /// The database of zones that others share with this person.
  public var sharedDatabase: CloudDatabase { CloudDatabase(container: self, scope: .shared) }

  /// The database of public zones. Each person has one, which everybody in the container reads, and
  /// only this person writes.
  public var publicDatabase: CloudDatabase { CloudDatabase(container: self, scope: .public) }

  /// Returns the person with a handle; nil if nobody in the container has it.
  public func person(_ handle: String) async throws(CloudError) -> PersonID? {
    try await work.run { [engine] in try engine.person(handle) }
  }

  /// Returns the handle and the display name of a person (CKUserIdentity.nameComponents), for
  /// example of a participant or an author; nil if nobody in the container has the id. Several
  /// people may have the same names.
  public func profile(
    of person: PersonID
  ) async throws(CloudError) -> (handle: String, name: String)? {
    try await work.run { [engine] in try engine.profile(of: person) }
  }

  /// Returns the invitations to shares that this person hasn't accepted yet.
  public func invitations() async throws(CloudError) -> [ShareInvitation] {
    try await work.run { [engine] in try engine.invitations() }
  }

  /// Accepts an invitation (CKAcceptSharesOperation).
  /// - Returns: The zone of the share, which is in the shared database from then on.
  public func accept(_ invitation: ShareInvitation) async throws(CloudError) -> CloudZone {
    try await work.run { [self] in
      CloudZone(try engine.accept(invitation.zone), of: self)
    }
  }

  /// Returns the offer of a link (CKFetchShareMetadataOperation). Nothing is accepted.
  /// - Throws: `CloudError` with `.invalidArguments` for a text that is no link, with
  ///   `.badContainer` for a link to another container, with `.permissionFailure` for a link that
  ///   was used, taken back, or has expired.
  public func invitation(link: String) async throws(CloudError) -> ShareInvitation {
    try await work.run { [engine] in try engine.invitation(link: link) }
  }

  /// Accepts a share by its link. Without a public permission, only invited people can use the
  /// link.
  /// - Returns: The zone of the share, which is in the shared database from then on.
  /// - Throws: The errors of `invitation(link:)`.
  public func accept(link: String) async throws(CloudError) -> CloudZone {
    try await work.run { [self] in CloudZone(try engine.accept(link: link), of: self) }
  }
}
