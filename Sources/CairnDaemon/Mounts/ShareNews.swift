import CairnControl
import CairnZone

/// The changes of a share between two checks of its zone: a value from the replayed share. It has
/// no access to events, or the caller.
struct ShareNews: Equatable {
  /// A change of this person's own part in the share.
  enum OwnChange: Equatable {
    case owner, formerOwner, offered, offerEnded, administrator, formerAdministrator, canEdit
    case canView, successor, formerSuccessor
  }

  /// A change of a successor's claim to the ownership.
  enum ClaimChange: Equatable {
    case made(UserID, due: Int64), confirmed(UserID), ended(UserID)
  }

  /// The new members since the earlier check.
  var joined: [UserID] = []
  /// The former members that somebody else removed.
  var removed: [UserID] = []
  /// The changes of this person's part, if somebody else made them.
  var own: [OwnChange] = []
  /// The changes of claims, if somebody else made them.
  var claims: [ClaimChange] = []
  /// The author of these three kinds of changes; nil without one.
  var author: Author?
  /// A Boolean value that indicates whether anything else changed.
  var isChanged = false

  /// Compares two states of a share.
  /// - Parameters:
  ///   - before: The share at the earlier check; nil if there was none, or none was seen.
  ///   - wasWhole: Whether the log was read to its end at that check. Before, a share may be older
  ///     than the known part; after, a share that was missing is new, and so are its members.
  ///   - now: The share now.
  ///   - me: This person.
  init(before: Share?, wasWhole: Bool, now: Share?, me: UserID) {
    guard let now, before != now, before != nil || wasWhole else { return }
    joined = now.participants.values.filter { participant in
      participant.acceptance == .accepted
        && before?.participants[participant.user]?.acceptance != .accepted
        && participant.user != before?.owner
    }.map(\.user).sorted()
    if let before {
      removed = before.participants.values.filter { participant in
        participant.acceptance == .accepted && now.participant(participant.user) == nil
          && participant.user != now.changed.user
      }.map(\.user).sorted()
      if now.changed.user != me {
        own = Self.changes(of: me, before, now)
        claims = Self.claims(before, now)
      }
    }
    let isAnybodys = !removed.isEmpty || !own.isEmpty || !claims.isEmpty
    if isAnybodys { author = now.changed.author }
    // Its creator reports the creation.
    isChanged = joined.isEmpty && !isAnybodys && before != nil
  }

  private static func claims(_ before: Share, _ now: Share) -> [ClaimChange] {
    // A claim that was successful is the change of the owner.
    guard before.owner == now.owner else { return [] }
    let (old, new) = (before.succession, now.succession)
    func isConfirmed(_ user: UserID, _ succession: Succession?) -> Bool {
      succession?.allows(user, at: .max) == true
    }
    var changes: [ClaimChange] = []
    for user in old?.claimants ?? [] where new?.claim(of: user) != old?.claim(of: user) {
      changes.append(.ended(user))
    }
    for user in new?.claimants ?? [] {
      if old?.claim(of: user) != new?.claim(of: user) {
        changes.append(.made(user, due: new?.due(for: user) ?? 0))
      }
      if isConfirmed(user, new), !isConfirmed(user, old), new?.needed != 1 {
        changes.append(.confirmed(user))
      }
    }
    return changes
  }

  private static func changes(of me: UserID, _ before: Share, _ now: Share) -> [OwnChange] {
    guard let old = before.participant(me), let new = now.participant(me),
      old.acceptance == .accepted, new.acceptance == .accepted
    else { return [] }
    guard old.role == .owner || new.role != .owner else { return [.owner] }
    if old.role == .owner {
      guard new.role == .owner else { return [.formerOwner] }
      return before.offered != nil && now.offered == nil ? [.offerEnded] : []
    }
    var changes: [OwnChange] = []
    let (was, isSuccessor) = (before.isSuccessor(me), now.isSuccessor(me))
    if was != isSuccessor { changes.append(isSuccessor ? .successor : .formerSuccessor) }
    if (before.offered == me) != (now.offered == me) {
      changes.append(now.offered == me ? .offered : .offerEnded)
    }
    if (old.role == .administrator) != (new.role == .administrator) {
      changes.append(new.role == .administrator ? .administrator : .formerAdministrator)
    }
    let (couldEdit, canEdit) = (old.permission == .readWrite, new.permission == .readWrite)
    if couldEdit != canEdit { changes.append(canEdit ? .canEdit : .canView) }
    return changes
  }
}

extension ShareNews.OwnChange {
  /// The sentence for this person, without its author.
  var text: String {
    switch self {
    case .owner: "you own the share now"
    case .formerOwner: "you don't own the share any more, and can still edit it"
    case .offered: "you were offered the ownership of the share"
    case .offerEnded: "the offer of the ownership ended"
    case .administrator: "you are an administrator now: you can invite and remove people"
    case .formerAdministrator: "you are no administrator any more"
    case .canEdit: "you can edit it now"
    case .canView: "you can only view it now; edits that weren't sent stay on this device"
    case .successor: "you may take the share over if the owner is gone"
    case .formerSuccessor: "you may not take the share over any more"
    }
  }
}

extension ShareNews.ClaimChange {
  /// The sentence for everybody in the share.
  func text(_ nameOf: (UserID) -> String) -> String {
    switch self {
    case .made(let user, let due):
      "\(nameOf(user)) claims the ownership, and may take the share over from "
        + "\(Control.Time(nanoseconds: due).description.prefix(10)) on, unless the owner refuses"
    case .confirmed(let user): "enough successors confirm the claim of \(nameOf(user))"
    case .ended(let user): "the claim of \(nameOf(user)) to the ownership ended"
    }
  }
}

extension Share {
  fileprivate func isSuccessor(_ user: UserID) -> Bool {
    succession?.people.contains(user) == true
  }
}
