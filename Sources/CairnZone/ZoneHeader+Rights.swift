/// What a person may do in a zone from a place in its log on.
public enum Right: Hashable, Sendable, CaseIterable {
  /// See the records.
  case read
  /// Create, change and delete records.
  case write
  /// Invite and remove participants, set their permissions, raise the key epoch.
  case administer
  /// Start, rename and stop the share.
  case own
}

extension ZoneHeader {
  /// What `user` may do after the entry at `sequence`, whatever the commits before said.
  ///
  /// The owner may do everything. Participants have rights exactly while they are accepted; a
  /// pending one may accept and nothing else, which is no right but a rule of `ShareChange.accept`.
  public func rights(of user: UserID) -> Set<Right> {
    guard genesis != nil, !isPurged else { return [] }
    // CloudKit's security roles: the world reads, the creator changes.
    if kind == .public { return user == genesis?.owner ? [.read, .write] : [.read] }
    if user == owner { return Set(Right.allCases) }
    guard let participant = share?.participants[user], participant.acceptance == .accepted else {
      return []
    }
    var rights: Set<Right> = []
    let isPublic = participant.role == .publicUser
    switch isPublic ? share?.publicPermission ?? .none : participant.permission {
    case .none: break
    case .readOnly: rights = [.read]
    case .readWrite: rights = [.read, .write]
    }
    if participant.role == .administrator { rights.formUnion([.read, .administer]) }
    return rights
  }

  /// Whether a change of records by `user` would be valid after the entry at `sequence`.
  public func mayWrite(_ user: UserID) -> Bool { rights(of: user).contains(.write) }
}

extension Share {
  /// The most participants that a share may have, the owner not counted.
  public static let maximumParticipantCount = 100
  /// The most links that a share may have at once.
  public static let maximumLinkCount = 200
  /// The most persons that a share may shut out.
  public static let maximumBlockedCount = 1_000
  /// The most bytes of a title, and of the name of a zone, which may become one: all that is shown
  /// of shares stays small.
  public static let maximumTitleSize = 1_024

  /// The person's part in the share; the owner has one too. Nil for everybody else.
  public func participant(_ user: UserID) -> Participant? {
    if user == owner {
      return Participant(user: user, role: .owner, permission: .readWrite, acceptance: .accepted)
    }
    return participants[user]
  }
}
