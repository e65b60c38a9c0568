import CairnReplica
import CairnZone

/// The search for the permission that a person had before they left a share, from the newest entry
/// of its log backwards. It reads no log.
struct WayBack {
  /// The answer: the permission, or nil if the person can't return.
  struct Answer: Equatable {
    var permission: Permission?
  }

  let user: UserID
  /// The time of day, in nanoseconds since 1970.
  let now: Int64
  /// A Boolean value that indicates whether the entry by which the person left was found.
  private(set) var hasLeft = false
  /// The link by which the person joined.
  private var link: LinkID?

  init(user: UserID, now: Int64) {
    self.user = user
    self.now = now
  }

  /// Takes the next older entry.
  /// - Returns: The answer; nil if an older entry has it.
  mutating func take(_ commit: LoggedCommit) -> Answer? {
    for change in commit.share.reversed() {
      if let answer = take(change, commit) { return answer }
    }
    return nil
  }

  private mutating func take(_ change: ShareChange, _ commit: LoggedCommit) -> Answer? {
    switch change {
    case .stop: return Answer()
    case .remove(let other) where other == user:
      guard !hasLeft, commit.author?.user == user,
        abs(now - commit.time) < AccessRequests.grace
      else { return Answer() }
      hasLeft = true
    case .block(let other) where other == user, .unblock(let other) where other == user:
      return Answer()
    case .setPermission(let other, let permission) where other == user && hasLeft:
      return Answer(permission: permission)
    case .invite(let other, let permission, _) where other == user && hasLeft && link == nil:
      return Answer(permission: permission)
    case .claim(let id, _) where commit.author?.user == user && hasLeft && link == nil: link = id
    case .addLink(let added) where added.id == link: return Answer(permission: added.permission)
    default: break
    }
    return nil
  }
}
