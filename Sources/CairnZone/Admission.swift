/// The way in which a person came into a share, read from its log backwards.
public struct Admission: Hashable, Sendable {
  /// The time of the first commit that let them in, or invited them, by its author's clock.
  public private(set) var since: Int64?
  /// The person who invited them.
  public private(set) var by: UserID?
  /// The link that they used.
  public private(set) var link: LinkID?
  /// A Boolean value that indicates whether an earlier commit can't change this.
  public private(set) var isComplete = false

  /// Creates a value that knows nothing.
  public init() {}

  /// Adds the changes of the commit before those that were added.
  public mutating func take(
    _ changes: [ShareChange], of user: UserID, by author: UserID, at time: Int64
  ) {
    guard !isComplete else { return }
    for change in changes.reversed() {
      switch change {
      case .invite(user, _, _): (since, by) = (time, author)
      case .claim(let id, _) where author == user:
        (since, link) = (time, id)
        isComplete = true
      // They were outside before this.
      case .remove(user), .block(user), .stop: isComplete = true
      default: break
      }
      if isComplete { return }
    }
  }
}
