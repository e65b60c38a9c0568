import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnZone

/// How the container differs from what this device has read of it, and who is told.
struct LogTroubles {
  let one: OpenContainer
  let persons: Persons
  let problems: AccountProblems
  let events: EventLog

  /// How the container as a whole stands; nil: as this device has read it.
  var state: Control.LogState? {
    let troubles = one.container.troubles
    if troubles.isRestored { return .restored }
    let kinds = troubles.zones.map(\.trouble.kind) + troubles.people.values.map(\.kind)
    return kinds.max { Control.LogState($0).weight < Control.LogState($1).weight }
      .map { Control.LogState($0) }
  }

  /// What is wrong with the logs that no folder mirrors stands among the problems of the account.
  func tell() {
    let troubles = one.container.troubles
    problems.set("clone", one.container.clone.map { describe($0) })
    let account = troubles.zones.first { one.container.isAccount($0.zone) }?.trouble
    problems.set("account log", account.map { Self.problem($0, "Your account") })
    let named = problems.named { $0.hasPrefix("chain ") }
    var now: Set<String> = []
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
        + "\(clone.sequence) of zone \(clone.zone) is signed by it, and wasn't written here. This "
        + "home is a copy of another one, or was copied.",
      remedy: "Nothing is lost; this device goes on reading, and writes nothing. Stop Cairn on the "
        + "machine that has the copy, and let it join as a device of its own: `cairn device join` "
        + "there, with another CAIRN_HOME. Then run `cairn stop` and `cairn start` here.")
  }

  private static func problem(_ trouble: LogTrouble, _ what: String) -> Control.Problem {
    Control.Problem(
      path: nil, code: Control.ErrorCode(trouble.kind),
      message: Failures.sentence("\(what): \(trouble.message)"),
      remedy: Failures.sentence(trouble.remedy))
  }

  func check() throws -> String {
    guard let state = state else {
      return "the container has all that this device has read"
    }
    let titles = one.container.troubles.zones.map { zone, trouble in
      "\(one.title(of: zone)): \(trouble.message)"
    }
    let people = one.container.troubles.people.map { user, trouble in
      "the identity of \(persons.told(user).handle ?? user.description): \(trouble.message)"
    }
    let all = (titles + people.sorted()).joined(separator: "; ")
    throw ControlError(
      state == .damaged
        ? .assetNotAvailable : state == .held ? .zoneBusy : .changeTokenExpired,
      state == .restored
        ? "Restored: the container is an older copy of itself. \(Failures.sentence(all))"
        : Failures.sentence(all),
      remedy: "Nothing is deleted because of it. If it isn't being restored just now, run "
        + "`cairn repair`, which says first what it would do.")
  }
}

extension Control.ErrorCode {
  /// What an operation answers that a log in that state stops.
  init(_ kind: LogTrouble.Kind) {
    switch kind {
    case .damaged: self = .assetNotAvailable
    case .lostEnd, .twoHistories: self = .changeTokenExpired
    case .held: self = .zoneBusy
    case .disputed: self = .participantMayNeedVerification
    }
  }
}

extension Control.LogState {
  init(_ kind: LogTrouble.Kind) {
    switch kind {
    case .lostEnd: self = .lostEnd
    case .twoHistories, .disputed: self = .twoHistories
    case .damaged: self = .damaged
    case .held: self = .held
    }
  }

  /// Which is told of several.
  fileprivate var weight: Int {
    switch self {
    case .offline: 0
    case .held: 1
    case .damaged: 2
    case .lostEnd: 3
    case .twoHistories: 4
    case .restored: 5
    }
  }
}
