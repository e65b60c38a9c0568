import CairnContainer
import CairnIdentity
import CairnReplica
import CairnZone

/// Steps on the way to another owner without the owner's help, by the owner and the successors.
extension Story {
  /// Takes a step. A person who took the zone over gives it back at once, so that Ana owns it for
  /// the rest of the story.
  /// - Parameters:
  ///   - person: The successor.
  ///   - number: The number of the step.
  /// - Throws: Any error of a program that isn't a `CloudError`.
  func succeed(_ person: Int, _ number: Int) throws {
    guard person > 0, !devices[person].isOut else { return }
    let user = devices[person].account.user
    switch number % 8 {
    case 0, 1, 2:
      try asPerson(0, "successors decided") { container, zone in
        guard let share = zone.header.share else { return }
        if number % 8 == 2 {
          return try container.ownership.decide(share.succession?.refused, for: zone)
        }
        let all = share.participants.values.filter {
          $0.acceptance == .accepted && $0.firstEpoch == 0
        }
        let people = Set(all.map(\.user).filter { $0 == user || number / 8 % 3 > 0 })
        guard !people.isEmpty else { return }
        try container.ownership.decide(
          Succession(people: people, wait: UInt64(number / 8 % 2)), for: zone)
      }
    case 3:
      try asPerson(person, "ownership claimed") { container, zone in
        try container.ownership.confirm(user, for: zone)
      }
    case 4:
      try asPerson(person, "claim confirmed") { container, zone in
        let claims = zone.header.share?.succession?.claimants.filter { $0 != user } ?? []
        guard !claims.isEmpty else { return }
        try container.ownership.confirm(claims[number / 8 % claims.count], for: zone)
      }
    case 5:
      try asPerson(person, "claim withdrawn") { container, zone in
        try container.ownership.confirm(nil, for: zone)
      }
    case 6:
      try asPerson(person, "ownership taken") { container, zone in
        // Claims seldom last until a takeover is drawn.
        if zone.header.share?.succession?.claim(of: user) == nil {
          try container.ownership.confirm(user, for: zone)
        }
        try container.ownership.succeed(in: zone, at: .max)
      }
    default:
      // A modified program doesn't wait, and tries it without a claim.
      try asPerson(person, "ownership grabbed") { _, zone in
        try zone.changeShare([.takeOver])
      }
    }
    try giveBack(from: person)
  }

  private func giveBack(from person: Int) throws {
    let ana = devices[0].account.user
    var isOwner = false
    try asPerson(person, nil) { container, zone in
      isOwner = zone.header.owner == container.account.user
      if isOwner { try container.ownership.offer(zone, to: ana) }
    }
    guard isOwner else { return }
    count("another owner")
    try asPerson(0, nil) { container, zone in try container.ownership.takeOver(zone) }
  }
}

/// The owners of a zone by the words of its log, judged without the rules of the replay: nobody
/// becomes the owner without an offer, or a claim that most of the people named last want.
struct SuccessionWatch {
  private var offered: UserID?
  /// The people that the owner named last, and the number of those who must agree.
  private var named: Set<UserID> = []
  private var needed = 0
  /// By the person who confirms: the person whose claim it is.
  private var wants: [UserID: UserID] = [:]
  /// The people whose participation ended since they were named.
  private var gone: Set<UserID> = []

  /// Reads the changes of one valid entry.
  /// - Returns: The broken rule; nil if there is none.
  mutating func read(_ changes: [ShareChange], by author: UserID) -> String? {
    let before = wants
    for change in changes {
      switch change {
      case .remove(let user), .block(let user): leave(user)
      case .stop: (offered, named, wants) = (nil, [], [:])
      case .zone(.offer(let user)): offered = user
      case .zone(.succession(let succession)):
        (named, gone, wants) = (succession?.people ?? [], [], [:])
        needed = succession.map { Int($0.needed) } ?? 0
        guard needed * 2 > named.count || named.isEmpty else { return "a minority may decide" }
      case .zone(.confirm(let claimant)) where wants[author] != claimant:
        wants = wants.filter { $0.key != author && $0.value != author }
        wants[author] = claimant
      case .zone(.takeOver):
        let agreeing = before.filter {
          $0.value == author && named.contains($0.key) && !gone.contains($0.key)
        }
        let isAgreed = agreeing[author] != nil && agreeing.count >= max(needed, 1)
        guard offered == author || isAgreed else {
          return "a person took the zone over without an offer, or enough successors"
        }
        (offered, named, wants) = (nil, [], [:])
      default: break
      }
    }
    return nil
  }

  private mutating func leave(_ user: UserID) {
    if offered == user { offered = nil }
    wants = wants.filter { $0.key != user && $0.value != user }
    gone.insert(user)
  }
}
