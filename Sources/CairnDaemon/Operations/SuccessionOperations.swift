import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The operation on the successors of a share's owner: naming them, their claims, and the change of
/// the owner.
struct SuccessionOperations: Operations {
  let mirrors: Mirrors
  let shares: Shares
  let persons: Persons

  private var one: OpenContainer { mirrors.one }
  private var me: UserID { one.container.account.user }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareSuccessor.self) { [self] request, _ in try succeed(request) }
  }

  func succeed(_ request: Control.ShareSuccessor) throws -> Control.ShareReply {
    try check(request)
    guard let step = request.step else {
      let zone = try shares.sharedAsKnown(request.share, for: Control.ShareSuccessor.self)
      return Control.ShareReply(share: try shares.describe(zone))
    }
    let zone = try shares.shared(request)
    switch step {
    case .name: try name(request, in: zone)
    case .refuse: try refuse(zone)
    case .claim: try claim(zone)
    case .confirm: try confirm(request.people.first ?? "", in: zone)
    case .withdraw: try withdraw(from: zone)
    case .takeOver: try takeOver(zone)
    }
    return Control.ShareReply(share: try shares.describe(mirrors.rehomed(zone)))
  }

  /// Refuses members that don't belong to the step.
  private func check(_ request: Control.ShareSuccessor) throws(ControlError) {
    let isNaming = request.step == .name
    let count = request.step == .confirm ? 1...1 : isNaming ? 0...Int.max : 0...0
    let wait = request.waitSeconds ?? 0
    guard count.contains(request.people.count), isNaming || !request.administrators,
      isNaming || request.waitSeconds == nil, wait >= 0
    else {
      throw ControlError(
        .invalidArguments, "The people or the waiting time don't belong to this step.",
        remedy: "Use `cairn share successor SHARE PERSON`, or one of its options.")
    }
  }

  // MARK: The owner

  private func name(_ request: Control.ShareSuccessor, in zone: Zone) throws {
    try zone.require(.own, to: "name successors")
    var people: Set<UserID> = []
    for text in request.people { people.insert(try heir(text, in: zone)) }
    if request.administrators {
      let all = zone.header.share?.participants.values.filter { $0.role == .administrator } ?? []
      let some = all.filter { $0.acceptance == .accepted && $0.firstEpoch == 0 }.map(\.user)
      guard !some.isEmpty else {
        throw ControlError(
          .invalidArguments, "No administrator of this share could own it.",
          remedy: "Name other people, or run `cairn share set-role` first.")
      }
      people.formUnion(some)
    }
    let wait = request.waitSeconds.map { UInt64($0) } ?? Succession.standardWait
    let succession = people.isEmpty ? nil : Succession(people: people, wait: wait)
    try one.container.ownership.decide(succession, for: zone)
    shares.changed(zone, people.isEmpty ? "it has no successors now" : "it has successors now")
  }

  /// Returns a person who can own the share.
  private func heir(_ text: String, in zone: Zone) throws -> UserID {
    let person = try persons.known(text)
    let name = Control.Path(person.handle)
    guard let participant = zone.header.share?.participants[person.id] else {
      throw ControlError(
        .invalidArguments,
        person.id == me ? "You own the share already." : "\(name) isn't in the share.",
        remedy: person.id == me
          ? "Name other people." : "Invite \(name) first with `cairn share invite`.")
    }
    guard participant.acceptance == .accepted else {
      throw ControlError(
        .invalidArguments, "\(name) hasn't accepted the share yet.",
        remedy: "Name \(name) when they have.")
    }
    guard participant.firstEpoch == 0 else {
      throw ControlError(
        .invalidArguments, "\(name) doesn't see the history of the share, and can't own it.",
        remedy: "Name somebody who was invited without --from-now.")
    }
    return person.id
  }

  private func refuse(_ zone: Zone) throws {
    try zone.require(.own, to: "refuse claims")
    guard let succession = zone.header.share?.succession, !succession.claimants.isEmpty else {
      throw ControlError(
        .unknownItem, "Nobody claims the ownership of this share.", remedy: "Nothing to refuse.")
    }
    try one.container.ownership.decide(succession.refused, for: zone)
    shares.changed(zone, "the claims to the ownership were refused")
  }

  // MARK: The successors

  /// Returns the decision that names this person.
  private func mine(_ zone: Zone) throws(ControlError) -> Succession {
    guard let succession = zone.header.share?.succession, succession.people.contains(me) else {
      throw ControlError(
        .permissionFailure, "You aren't a successor of this share's owner.",
        remedy: zone.header.owner == me
          ? "You own it." : "Only the owner can name you, with `cairn share successor`.")
    }
    return succession
  }

  private func claim(_ zone: Zone) throws {
    _ = try mine(zone)
    try one.container.ownership.confirm(me, for: zone)
    shares.changed(zone, "you claim the ownership")
  }

  private func confirm(_ text: String, in zone: Zone) throws {
    let succession = try mine(zone)
    let person = try persons.known(text)
    guard person.id != me, succession.claim(of: person.id) != nil else {
      let name = Control.Path(person.handle)
      throw ControlError(
        .invalidArguments,
        person.id == me
          ? "You can't confirm your own claim." : "\(name) doesn't claim the ownership.",
        remedy: "`cairn share show` shows the claims.")
    }
    try one.container.ownership.confirm(person.id, for: zone)
    shares.changed(zone, "you confirm the claim of \(person.handle)")
  }

  private func withdraw(from zone: Zone) throws {
    guard try mine(zone).confirmations[me] != nil else { return }
    try one.container.ownership.confirm(nil, for: zone)
    shares.changed(zone, "your claim or confirmation ended")
  }

  private func takeOver(_ zone: Zone) throws {
    let succession = try mine(zone)
    let confirmed = succession.confirming(me).count
    guard confirmed > 0 else {
      throw ControlError(
        .permissionFailure, "You don't claim the ownership yet.",
        remedy: "Run `cairn share successor SHARE --claim` first.")
    }
    guard confirmed >= succession.needed else {
      throw ControlError(
        .permissionFailure,
        "\(confirmed) of \(succession.needed) successors confirm your claim, you among them.",
        remedy: "Ask others to run `cairn share successor SHARE --confirm`.")
    }
    let now = Control.Time.now()
    if let due = succession.due(for: me), now.nanoseconds < due {
      throw ControlError(
        .permissionFailure,
        "The waiting time of your claim isn't over: the owner can refuse it until then.",
        remedy: "Repeat the command after \(Control.Time(nanoseconds: due)).")
    }
    try one.container.ownership.succeed(in: zone, at: now.nanoseconds)
    shares.changed(zone, "you own the share now")
  }
}

extension Control.Succession {
  /// Creates the state of a decision for answers.
  /// - Parameters:
  ///   - succession: The decision and its claims.
  ///   - person: The name of a person, as this device knows it.
  init(_ succession: Succession, _ person: (UserID) throws -> Control.Person) rethrows {
    self.init(
      people: try succession.people.sorted().map(person), needed: Int(succession.needed),
      waitSeconds: Int64(clamping: succession.wait),
      claims: try succession.claimants.map { user in
        let confirming = succession.confirming(user)
        return Control.SuccessionClaim(
          person: try person(user),
          claimed: Control.Time(nanoseconds: succession.claim(of: user)?.time ?? 0),
          due: Control.Time(nanoseconds: succession.due(for: user) ?? 0),
          confirmedBy: try confirming.sorted().map(person),
          isConfirmed: confirming.count >= succession.needed)
      })
  }
}
