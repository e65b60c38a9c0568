import CairnIdentity
import CairnReplica
public import CairnZone

/// The access of one person to one share that this person owns.
public struct PersonAccess: Sendable {
  /// The zone of the share.
  public var zone: Zone
  /// The role, the permission and the acceptance status.
  public var participant: Participant
  /// The way in which they came in, as far as the log still tells.
  public var admission: Admission
  /// A Boolean value that indicates whether the share was read to its end just now.
  public var isCurrent: Bool
  /// The end of their access, in nanoseconds since 1970, if this person has set one.
  public var end: Int64?
}

/// One person's access to everything that this person owns.
extension Access {
  /// Returns the shares of this person in which another one is, or is invited to, in the order of
  /// their titles. A share that can't be read now is shown as this device knows it.
  /// - Throws: `CloudError` if the account can't be read.
  public func shares(with user: UserID) throws -> [PersonAccess] {
    try owned().compactMap { zone in
      let isCurrent = try read(zone)
      guard let participant = zone.header.share?.participants[user] else { return nil }
      return PersonAccess(
        zone: zone, participant: participant, admission: try admission(of: user, to: zone),
        isCurrent: isCurrent, end: try ends(in: zone)[user])
    }.sorted { $0.zone.title < $1.zone.title }
  }

  /// Returns the shares of this person that anyone with their link can read.
  /// - Throws: `CloudError` if the account can't be read.
  public func sharesForAnyone() throws -> [Zone] {
    try owned().filter { zone in
      zone.header.share?.links.values.contains { !$0.isOneTime && Links.isAlive($0) } == true
    }.sorted { $0.title < $1.title }
  }

  /// Removes a person from all groups and shares of this person, with their pending invitations.
  /// Every share from which they are removed gets a new key, and loses its links for anyone, which
  /// they may know. What was removed before isn't removed again, so an interruption does no harm.
  /// - Returns: The shares that they lost, with their former status there, and those that can't be
  ///   written now.
  /// - Throws: `CloudError` if the account can't be read.
  public func removeEverywhere(
    _ user: UserID
  ) throws -> (removed: [PersonAccess], missed: [MissedZone]) {
    var removed: [PersonAccess] = []
    var missed: [MissedZone] = []
    for group in try container.groups.all() where group.members.contains(user) {
      try AccountZone.removeMember(user, of: group.name, from: container.accountZone)
    }
    for zone in try owned() {
      do {
        try zone.pull()
        guard let was = zone.header.share?.participants[user] else { continue }
        try remove(user, from: zone)
        try setEnd(nil, of: [user], in: zone)
        removed.append(
          PersonAccess(zone: zone, participant: was, admission: Admission(), isCurrent: true))
      } catch let error as CloudError {
        // A share that was never read may have anybody in it.
        guard zone.header.genesis == nil || zone.header.share != nil else { continue }
        missed.append(MissedZone(zone: zone.id, reason: error.message))
      }
    }
    return (removed, missed)
  }

  /// Returns this person's own zones, also those that are kept for the past only: it can be read.
  private func owned() throws -> [Zone] {
    try container.zones(.private).filter { !$0.header.isPurged }
  }

  private func read(_ zone: Zone) throws -> Bool {
    do { try zone.pull() } catch is CloudError { return false }
    return true
  }

  /// The largest number of entries that are read for a way in.
  private static let mostEntries: UInt64 = 10_000

  /// Returns the way in which a person came in, from the newest entries of the log.
  private func admission(of user: UserID, to zone: Zone) throws -> Admission {
    var admission = Admission()
    var sequence = zone.header.sequence
    let end = sequence > Self.mostEntries ? sequence - Self.mostEntries : 0
    while sequence > end, !admission.isComplete {
      do {
        for commit in try zone.log(after: sequence - 1, limit: 1) where commit.refusal == nil {
          guard let author = commit.author else { continue }
          admission.take(commit.share, of: user, by: author.user, at: commit.time)
        }
      } catch is CloudError {
        // Nobody can open the entry any more, or it can't be read now: the rest must do.
      }
      sequence -= 1
    }
    return admission
  }
}

extension Zone {
  fileprivate var title: String { header.share?.title ?? header.genesis?.name ?? "" }
}
