/// The owner's decision about who may take the zone over without the owner's help, and the state
/// of their claims. The owner makes it in advance, and each later decision replaces it. It belongs
/// to the share, so everybody in the share sees it.
///
/// A successor claims the ownership by confirming themself. Other successors can confirm the claim,
/// and each of them confirms at most one claim at a time. Once enough successors confirm a claim,
/// its author may take the zone over, in a later commit. Until then the owner refuses all claims by
/// a new decision, which may name the same people.
public struct Succession: Hashable, Sendable {
  /// The successors: accepted participants who see all of the past. A person whose participation
  /// ends is no successor any more, even if they are invited again.
  public private(set) var people: Set<UserID>
  /// The number of successors who must confirm a claim, its author among them: more than half of
  /// the people that the owner named. It stays the same if people leave or are removed, and if the
  /// owner refuses a claim: otherwise an administrator could remove the others first.
  public let needed: UInt32
  /// The time between a claim and the change of the owner, in seconds. The author's program waits
  /// so long. The log has no clock, and the rules of replay don't use this time.
  public let wait: UInt64
  /// The confirmations, by their authors.
  public private(set) var confirmations: [UserID: Confirmation] = [:]

  /// A successor's confirmation of a claim.
  public struct Confirmation: Hashable, Sendable {
    /// The successor who wants to own the zone. They confirm themself with their claim.
    public let claimant: UserID
    /// The commit of the confirmation.
    public let since: Stamp

    /// Creates a confirmation.
    public init(claimant: UserID, since: Stamp) {
      self.claimant = claimant
      self.since = since
    }
  }

  /// The waiting time without another one: 14 days.
  public static let standardWait: UInt64 = 14 * 86_400

  /// Creates a decision, or its state.
  /// - Parameters:
  ///   - people: The successors, at least one.
  ///   - needed: The number of confirmations; nil for the least, more than half of the people.
  ///   - wait: The waiting time of a claim in seconds.
  ///   - confirmations: The confirmations, by their authors.
  public init(
    people: Set<UserID>, needed: UInt32? = nil, wait: UInt64 = standardWait,
    confirmations: [UserID: Confirmation] = [:]
  ) {
    self.people = people
    self.needed = needed ?? UInt32(people.count / 2 + 1)
    self.wait = wait
    self.confirmations = confirmations
  }

  /// The successors with a claim, in the order of their claims.
  public var claimants: [UserID] {
    confirmations.filter { $0.key == $0.value.claimant }
      .sorted { $0.value.since.sequence < $1.value.since.sequence }.map(\.key)
  }

  /// The commit of a person's claim; nil without a claim.
  public func claim(of user: UserID) -> Stamp? {
    guard let own = confirmations[user], own.claimant == user else { return nil }
    return own.since
  }

  /// The people who confirm a person's claim, that person among them.
  public func confirming(_ user: UserID) -> Set<UserID> {
    guard claim(of: user) != nil else { return [] }
    return Set(confirmations.filter { $0.value.claimant == user }.keys)
  }

  /// A Boolean value that indicates whether enough successors are left for any claim.
  public var isPossible: Bool { people.count >= needed }

  /// The same decision without claims, with which the owner refuses them.
  public var refused: Succession { Succession(people: people, needed: needed, wait: wait) }

  /// Returns the time from which the program of a person with a claim takes the zone over, in
  /// nanoseconds since 1970 by the clock of the claim; nil without a claim.
  public func due(for user: UserID) -> Int64? {
    guard let claim = claim(of: user) else { return nil }
    let (nanoseconds, overflows) = Int64(clamping: wait).multipliedReportingOverflow(
      by: 1_000_000_000)
    let (time, isLate) = claim.time.addingReportingOverflow(overflows ? .max : nanoseconds)
    return isLate ? .max : time
  }

  /// Returns whether a person may take the zone over, in a commit after that of their claim.
  public func allows(_ user: UserID, at sequence: UInt64) -> Bool {
    guard let claim = claim(of: user) else { return false }
    return claim.sequence < sequence && confirming(user).count >= needed
  }

  /// Sets a successor's confirmation.
  /// - Parameters:
  ///   - claimant: The person whose claim is confirmed; the author's own id makes a claim, and nil
  ///     withdraws the confirmation, and the claim.
  ///   - stamp: The commit. Its author is a successor.
  mutating func confirm(_ claimant: UserID?, by stamp: Stamp) {
    let author = stamp.user
    guard confirmations[author]?.claimant != claimant else { return }
    // The author confirms another claim, or none, and so has no claim any more.
    confirmations = confirmations.filter { $0.key != author && $0.value.claimant != author }
    if let claimant {
      confirmations[author] = Confirmation(claimant: claimant, since: stamp)
    }
  }

  /// Removes people who are no accepted participants, with their claims and confirmations.
  mutating func keep(_ isAccepted: (UserID) -> Bool) {
    people = people.filter(isAccepted)
    confirmations = confirmations.filter {
      people.contains($0.key) && people.contains($0.value.claimant)
    }
  }
}
