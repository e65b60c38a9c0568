/// The invitation chain of a share: the devices through which its people came in or became
/// administrators, by the valid commits of the log. It is not part of the state. It is used to
/// judge a stolen device afterwards.
public struct Introductions: Sendable {
  /// The way in which one person came in.
  public struct Introduction: Hashable, Sendable {
    /// The devices that invited the person, or created the link that they used. One of them vouches
    /// as much as all.
    public var by: Set<Author>
    /// The device that made the person an administrator; nil if they are none.
    public var raised: Author?
    /// A Boolean value that indicates whether the invitation was revoked together with such a
    /// device before the person accepted.
    public var isTakenBack = false
  }

  /// All people who came in, and are still in by the individual changes of the share.
  public private(set) var people: [UserID: Introduction] = [:]
  private var links: [LinkID: Author] = [:]
  private var isForAnyone = false

  /// Creates an empty chain.
  public init() {}

  /// Applies the changes of the next valid commit.
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

  /// Applies a public permission. When it is given, administrators become participants, and when it
  /// is withdrawn, all people leave.
  private mutating func setPublic(_ permission: Permission) {
    if permission == .none {
      if isForAnyone { (people, links) = ([:], [:]) }
    } else if !isForAnyone {
      links = [:]
      for user in people.keys { people[user]?.raised = nil }
    }
    isForAnyone = permission != .none
  }

  /// The people who came in only through these devices, also if that was revoked.
  /// - Parameter devices: The devices, for example the revoked ones of one person.
  /// - Returns: the people, with the way in which they came in.
  public func people(introducedBy devices: Set<Author>) -> [UserID: Introduction] {
    people.filter { $0.value.by.isSubset(of: devices) }
  }
}
