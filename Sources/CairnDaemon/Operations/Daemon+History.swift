import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Synchronization

/// How the container differs from what this device has read of it, and who is told.
extension Daemon {
  /// How the container as a whole stands; nil: as this device has read it.
  var containerState: Control.LogState? {
    let troubles = container.troubles
    if troubles.isRestored { return .restored }
    let kinds = troubles.zones.map(\.trouble.kind) + troubles.people.values.map(\.kind)
    return kinds.max { Control.LogState($0).weight < Control.LogState($1).weight }
      .map { Control.LogState($0) }
  }

  /// What is wrong with the logs that no folder mirrors stands among the problems of the account.
  func tellHistory() {
    let troubles = container.troubles
    setAccountProblem("clone", container.clone.map { describe($0) })
    let account = troubles.zones.first { container.isAccount($0.zone) }?.trouble
    setAccountProblem("account log", account.map { Self.problem($0, "Your account") })
    let named = accountState.withLock { Set($0.problems.keys.filter { $0.hasPrefix("chain ") }) }
    var now: Set<String> = []
    for (user, trouble) in troubles.people {
      let about = "chain \(user)"
      now.insert(about)
      let person = person(user)
      setAccountProblem(
        about, Self.problem(trouble, "The identity of \(person.handle ?? person.user)"))
    }
    for about in named.subtracting(now) { setAccountProblem(about, nil) }
    let isTold = accountState.withLock { state in
      defer { state.isRestored = troubles.isRestored }
      return state.isRestored
    }
    guard troubles.isRestored, !isTold else { return }
    events.add(
      .containerDamaged, mount: nil, path: Array(configuration.containerPath.utf8),
      text: "restored: the container is an older copy of itself: several logs are shorter than "
        + "what this device has read")
  }

  private func describe(_ clone: ClonedDevice) -> Control.Problem {
    Control.Problem(
      path: nil, code: .accountTemporarilyUnavailable,
      message: "Another machine uses the keys of this device "
        + "(\(Control.Path(configuration.deviceName))) at the same time: entry \(clone.sequence) "
        + "of zone \(clone.zone) is signed by it, and wasn't written here. This home is a copy of "
        + "another one, or was copied.",
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

  func checkHistory() throws -> String {
    guard let state = containerState else {
      return "the container has all that this device has read"
    }
    let titles = container.troubles.zones.map { zone, trouble in
      "\(title(of: zone)): \(trouble.message)"
    }
    let people = container.troubles.people.map { user, trouble in
      "the identity of \(person(user).handle ?? user.description): \(trouble.message)"
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

  /// What a zone is called, for people.
  func title(of zone: Zone) -> String {
    if container.isAccount(zone) { return "your account" }
    if zone.scope == .public { return "the public database" }
    return zone.header.share?.title ?? zone.header.genesis?.name ?? zone.id.description
  }

  /// Asks the engine of a mount something, on the mount's thread between two turns.
  /// - Throws: what `body` throws; `ControlError` if the mount ends meanwhile.
  func ask<Answer: Sendable>(
    _ mount: Mount, _ body: @escaping @Sendable (MountEngine) throws -> Answer
  ) throws -> Answer {
    let waiter = Waiter<Result<Answer, any Error>>()
    mount.mailbox.post(.run { engine in waiter.complete(Result { try body(engine) }) })
    while true {
      if let answer = waiter.wait(until: SystemClock().now + 1_000_000_000) {
        return try answer.get()
      }
      guard !mount.hasEnded.withLock({ $0 }) else {
        throw ControlError(
          .operationCancelled, "\(Control.Path(mount.path)) isn't mirrored any more.",
          remedy: "Nothing to do.")
      }
    }
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
