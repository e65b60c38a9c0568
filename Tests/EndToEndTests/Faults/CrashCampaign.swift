import CairnControl
import Glibc
import Testing

/// The side whose daemon fails: that of the acting person, or the other.
enum CrashSide: String, CaseIterable {
  case sending, receiving
}

/// Plays one act again and again, with the fault one call later each time, until the act ends
/// before the fault. Checks all conditions after each act.
struct CrashCampaign {
  let act: CrashAct
  let side: CrashSide
  let fault: Faults.Act
  let calls: Faults.Calls
  /// The first call, the distance of the next, and the last one.
  var points: (first: Int, step: Int, last: Int) = (1, 1, .max)
  /// The number of points in one world. A long log makes each point slower.
  static let roundsOfAWorld = 60

  /// The result of a campaign.
  struct Outcome {
    /// The number of tested calls.
    var points = 0
    /// The violations, with the commands that play them again.
    var violations: [String] = []
  }

  func run() throws -> Outcome {
    var outcome = Outcome()
    var next: Int? = points.first
    while let first = next {
      try TwoPeople.playSharing(isFaulty: true) { people in
        next = try play(people, from: first, &outcome)
      }
    }
    return outcome
  }

  /// Plays points in one world; returns the first one for the next.
  private func play(
    _ people: TwoPeople, from first: Int, _ outcome: inout Outcome
  ) throws -> Int? {
    try act.begin(people)
    try people.settle()
    var point = first
    for _ in 0..<Self.roundsOfAWorld {
      guard point <= points.last else { return nil }
      let violation: String?
      switch try attempt(people, point) {
      case .passed: return nil
      case .fired: violation = nil
      case .violated(let text): violation = text
      }
      outcome.points += 1
      point += points.step
      guard let violation else { continue }
      outcome.violations.append(violation)
      Self.tell(
        "make crash ACTS=\(act.name) SIDES=\(side) FAULTS=\(fault) CALLS=\(calls) "
          + "FROM=\(point - points.step) TO=\(point - points.step)   # \(violation)")
      try people.keep(as: "\(act.name)-\(side)-\(fault)-\(calls)-\(point - points.step)")
      return point
    }
    return point
  }

  /// Writes a line at once. print() would write to a pipe only at the end.
  static func tell(_ line: String) {
    _ = (line + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }

  private enum Result {
    /// The act ended before the fault.
    case passed
    case fired
    case violated(String)
  }

  private func attempt(_ people: TwoPeople, _ point: Int) throws -> Result {
    let victim = (side == .sending) == act.isBobActing ? people.bob : people.ana
    guard let faults = victim.faults else { preconditionFailure("people without faults") }
    try act.prepare(people, point)
    try people.settleUnderFaults()
    let before = try victim.daemon()
    faults.arm(fault, calls, at: point)
    var trouble: String?
    do {
      try act.play(people, point)
    } catch is ControlError {
      // The daemon is gone.
    } catch let failure as CommandFailure {
      trouble = failure.isSentence ? nil : "\(failure)"
    }
    do {
      try act.insist(people, point)
      let made = try people.ana.folder.tree()
      try people.insist { try people.settleUnderFaults() }
      if trouble == nil {
        // The fault may happen as late as this.
        try people.insist { trouble = try people.difference(from: made, after: act, point, faults) }
      }
      if fault != .kill, trouble == nil { trouble = try victim.silentEnd(since: before) }
    } catch {
      trouble = trouble ?? "it comes to no end: \(error)"
    }
    faults.disarm()
    let place = faults.hasFired ? faults.place : "without a fault"
    if let trouble { return .violated("\(place): \(trouble)") }
    return faults.hasFired ? .fired : .passed
  }
}
