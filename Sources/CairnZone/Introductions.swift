/// Through which devices the people of a share came into it, as the valid commits of the zone's log
/// say, and who were made administrators by which. It is no part of the state: a device that was
/// stolen is judged by it afterwards.
public struct Introductions: Sendable {
  /// How one person came in.
  public struct Introduction: Hashable, Sendable {
    /// The devices that invited the person, or made the link that they came by; one of them vouches
    /// as much as all.
    public var by: Set<Author>
    /// The device that made the person an administrator; nil if they are none.
    public var raised: Author?
    /// Whether the person was taken out again together with such a device, before they accepted.
    public var isTakenBack = false
  }

  /// Everybody who came in, and is in as far as the changes of the share say one by one.
  public private(set) var people: [UserID: Introduction] = [:]
  private var links: [LinkID: Author] = [:]
  private var isForAnyone = false

  /// Nobody has come in yet.
  public init() {}

  /// Takes the changes of the next valid commit.
  public mutating func take(_ changes: [ShareChange], by author: Author) {
    let revokes = changes.contains { if case .zone(.revokeDevice) = $0 { true } else { false } }
    for change in changes {
      switch change {
      case .invite(let user, _, _): introduce(user, by: author)
      case .addLink(let link): links[link.id] = author
      case .claim(let link, _):
        if let maker = links[link] { introduce(author.user, by: maker) }
      case .setRole(let user, let role):
        people[user]?.raised = role == .administrator ? author : nil
      case .remove(let user):
        if revokes, user != author.user {
          people[user]?.isTakenBack = true
        } else {
          people[user] = nil
        }
      case .block(let user): people[user] = nil
      case .stop: (people, links, isForAnyone) = ([:], [:], false)
      case .setPublic(let permission): setPublic(permission)
      case .title, .accept, .setPermission, .removeLink, .setAccessRequests, .unblock, .setPolicy,
        .zone:
        break
      }
    }
  }

  private mutating func introduce(_ user: UserID, by author: Author) {
    guard let known = people[user], !known.isTakenBack else {
      people[user] = Introduction(by: [author])
      return
    }
    people[user]?.by.insert(author)
  }

  /// Going to anyone, administrators become participants like others; going back, all go.
  private mutating func setPublic(_ permission: Permission) {
    if permission == .none {
      if isForAnyone { (people, links) = ([:], [:]) }
    } else if !isForAnyone {
      links = [:]
      for user in people.keys { people[user]?.raised = nil }
    }
    isForAnyone = permission != .none
  }

  /// Who came in through none but these devices, also if that was taken back.
  /// - Parameter devices: those of one person, say, that are revoked.
  /// - Returns: the people, with how they came in.
  public func people(introducedBy devices: Set<Author>) -> [UserID: Introduction] {
    people.filter { $0.value.by.isSubset(of: devices) }
  }
}
