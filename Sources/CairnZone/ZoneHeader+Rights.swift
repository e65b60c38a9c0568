/// A right of a person in a zone, from a position in its log on.
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
  /// Returns the rights of `user` after the entry at `sequence`, whatever earlier commits said.
  ///
  /// The owner has all rights. Participants have rights only while they are accepted. A pending
  /// participant may only accept, which is not a right but a rule of `ShareChange.accept`.
  public func rights(of user: UserID) -> Set<Right> {
    guard genesis != nil, !isPurged else { return [] }
    // CloudKit's security roles: everybody reads, the creator changes.
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

  /// Returns whether a record change by `user` would be valid after the entry at `sequence`.
  public func mayWrite(_ user: UserID) -> Bool { rights(of: user).contains(.write) }

  /// Returns whether a device's entry behind a position says something about that position: only if
  /// its person can edit or administer. Otherwise a viewer could mark any log as damaged. Before
  /// the first replay nobody's rights are known.
  public func believes(_ author: Author) -> Bool {
    guard genesis != nil else { return true }
    let rights = rights(of: author.user)
    return !revokedDevices.contains(author)
      && (rights.contains(.write) || rights.contains(.administer))
  }
}

extension Share {
  /// The maximum number of participants of a share, without the owner.
  public static let maximumParticipantCount = 100
  /// The maximum number of links of a share.
  public static let maximumLinkCount = 200
  /// The maximum number of people that a share blocks.
  public static let maximumBlockedCount = 1_000
  /// The maximum number of bytes of a title, and of a zone's name, which may become a title:
  /// everything that is shown about shares stays small.
  public static let maximumTitleSize = 1_024

  /// The participant for a person, including the owner; nil for everybody else.
  public func participant(_ user: UserID) -> Participant? {
    if user == owner {
      return Participant(user: user, role: .owner, permission: .readWrite, acceptance: .accepted)
    }
    return participants[user]
  }
}
