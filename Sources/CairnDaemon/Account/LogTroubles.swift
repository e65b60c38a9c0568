import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// The differences between the container and the data that this device has read of it, and their
/// reports.
struct LogTroubles {
  let one: OpenContainer
  let mounts: Mounts
  let persons: Persons
  let problems: AccountProblems
  let events: EventLog

  /// The state of the container as a whole; nil if it is as this device has read it.
  var state: Control.LogState? {
    let troubles = one.container.upkeep.troubles
    if troubles.isRestored { return .restored }
    let kinds = troubles.zones.map(\.trouble.kind) + troubles.people.values.map(\.kind)
    return kinds.max { Control.LogState($0).weight < Control.LogState($1).weight }
      .map { Control.LogState($0) }
  }

  /// Reports problems of logs without a mirrored folder among the problems of the account.
  func tell() {
    let troubles = one.container.upkeep.troubles
    problems.set("clone", one.container.devices.clone.map { describe($0) })
    let account = troubles.zones.first { one.container.isAccount($0.zone) }?.trouble
    problems.set("account log", account.map { Self.problem($0, "Your account") })
    let named = problems.named { $0.hasPrefix("chain ") || $0.hasPrefix("log ") }
    var now: Set<String> = []
    for (zone, trouble) in troubles.zones
    where !one.container.isAccount(zone) && mounts.first(of: zone.id) == nil {
      let about = "log \(zone.id)"
      now.insert(about)
      problems.set(about, Self.problem(trouble, Control.Path(one.title(of: zone)).printable))
    }
    for (user, trouble) in troubles.people {
      let about = "chain \(user)"
      now.insert(about)
      let person = persons.told(user)
      problems.set(
        about, Self.problem(trouble, "The identity of \(person.handle ?? person.user)"))
    }
    for about in named.subtracting(now) { problems.set(about, nil) }
    guard problems.isNewlyRestored(troubles.isRestored) else { return }
    events.add(
      .containerDamaged, mount: nil, path: Array(one.configuration.location.text.utf8),
      text: "restored: the container is an older copy of itself: several logs are shorter than "
        + "what this device has read")
  }

  private func describe(_ clone: ClonedDevice) -> Control.Problem {
    Control.Problem(
      path: nil, code: .accountTemporarilyUnavailable,
      message: "Another machine uses the keys of this device "
        + "(\(Control.Path(one.configuration.deviceName))) at the same time: entry "
        + "\(clone.sequence) of zone \(clone.zone.digits) is signed by it, and wasn't written "
        + "here. This home is a copy of another one, or was copied.",
      remedy: "Nothing is lost; this device goes on reading, and writes nothing. Stop Cairn on the "
        + "machine that has the copy, and let it join as a device of its own: `cairn device join` "
        + "there, with another CAIRN_HOME. Then run `cairn stop` and `cairn start` here.")
  }

  private static func problem(_ trouble: LogTrouble, _ what: String) -> Control.Problem {
    Control.Problem(
      path: nil, code: Control.ErrorCode(trouble),
      message: Failures.sentence("\(what): \(trouble.message)"),
      remedy: Failures.sentence(trouble.remedy))
  }

  func check() throws -> String {
    guard let state = state else {
      return "the container has all that this device has read"
    }
    let found = one.container.upkeep.troubles
    let all =
      found.zones.map { ("\(one.title(of: $0.zone)): \($0.trouble.message)", $0.trouble) }
      + found.people.map { user, trouble in
        (
          "the identity of \(persons.told(user).handle ?? user.description): \(trouble.message)",
          trouble
        )
      }.sorted { $0.0 < $1.0 }
    let text = Failures.sentence(all.map(\.0).joined(separator: "; "))
    guard state != .restored else {
      throw ControlError(
        .changeTokenExpired, "Restored: the container is an older copy of itself. \(text)",
        remedy: "Nothing is deleted because of it. If it isn't being restored just now, run "
          + "`cairn repair`, which says first what it would do.")
    }
    let worst = all.map(\.1).max {
      Control.LogState($0.kind).weight < Control.LogState($1.kind).weight
    }
    // The advice for one of them may not help another.
    var remedies: [String] = []
    for (_, trouble) in all where !remedies.contains(trouble.remedy) {
      remedies.append(trouble.remedy)
    }
    throw ControlError(
      worst.map { Control.ErrorCode($0) } ?? .assetNotAvailable, text,
      remedy: remedies.map { Failures.sentence($0) }.joined(separator: " "))
  }
}

extension Control.ErrorCode {
  /// Creates the code of an operation that fails because of a log in that state.
  init(_ trouble: LogTrouble) {
    switch trouble.kind {
    case .lostEnd where trouble.mayBeEnded: self = .zoneNotFound
    case .damaged: self = .assetNotAvailable
    case .lostEnd, .twoHistories: self = .changeTokenExpired
    case .held, .elsewhere: self = .zoneBusy
    case .disputed: self = .participantMayNeedVerification
    }
  }
}

extension Control.LogState {
  /// The order in which one of several is reported.
  fileprivate var weight: Int {
    switch self {
    case .offline, .rubbish, .elsewhere: 0
    case .held: 1
    case .disputed: 2
    case .damaged: 3
    case .lostEnd: 4
    case .twoHistories: 5
    case .restored: 6
    }
  }
}
