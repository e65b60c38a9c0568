/// Records drawn or counted events by names: the effective actions of the people, and the calls
/// that faults really hit. Events without an effect are left out.
final class Recorder {
  private struct Line {
    var step: Step?
    var faults: [Fault] = []
    /// The people whose indexes are noted before it, and those whose hints are shuffled.
    var noted: [Int] = []
    var shuffled: [(person: Int, order: [Int])] = []
  }

  private var lines: [Line] = []
  private var isOver = false
  /// The place where each person's index was noted last.
  private var noted: [Int: Int] = [:]
  /// The number of sync cycles of a daemon that works until it has nothing to do.
  static let allTurns = 100

  func begin(_ step: Step) {
    switch step {
    case .operation, .interruptDisk, .interruptStore: lines.append(Line())
    case .work(let person, let turns, .shuffled):
      lines.append(Line(step: .work(person: person, turns: turns, hints: .delivered)))
    default: lines.append(Line(step: step))
    }
  }

  func end() { isOver = true }

  private func change(_ body: (inout Line) -> Void) {
    guard !isOver, !lines.isEmpty else { return }
    body(&lines[lines.count - 1])
  }

  func did(_ deed: Deed, by person: Int) {
    change { $0.step = .deed(person: person, deed) }
  }

  /// Notes that the working daemon has finished or cannot continue.
  func cameToEnd(_ worker: Int) {
    change {
      guard case .work(let person, _, let hints)? = $0.step, person == worker else { return }
      $0.step = .work(person: person, turns: Self.allTurns, hints: hints)
    }
  }

  func shuffled(_ order: [Int], of person: Int) {
    guard order != order.sorted() else { return }
    change { $0.shuffled.append((person, order)) }
  }

  func notedIndex(of person: Int) {
    guard !isOver else { return }
    noted[person] = lines.count - 1
  }

  func hit(_ effect: Fault.Effect, at moment: Fault.Moment?, _ person: Int) {
    guard let moment else { return }
    change { $0.faults.append(Fault(person: person, moment: moment, effect: effect)) }
  }

  func cut(_ cut: PowerCut, at person: Int) {
    change { line in
      let index = line.faults.lastIndex {
        if case .powerCut = $0.effect { $0.person == person } else { false }
      }
      if let index { line.faults[index].effect = .powerCut(cut) }
    }
    if cut.hasOldIndex { wentBack(person) }
  }

  /// Notes that a person's index returned to its last note.
  func wentBack(_ person: Int) {
    if let line = noted[person] { lines[line].noted.append(person) }
  }

  /// Leaves out a step that had no effect.
  func leaveOut() { change { $0.step = nil } }

  /// The script as it was played.
  func script(_ played: Script) -> Script {
    var script = Script(
      seed: played.seed, people: played.people, traits: played.traits, steps: [])
    (script.sabotage, script.distant) = (played.sabotage, played.distant)
    script.stretches = played.stretches
    func add(_ step: Step) {
      script.steps.append(step)
      script.lines.append(script.steps.count)
    }
    for line in lines {
      guard let step = line.step else { continue }
      for (person, order) in line.shuffled {
        add(.shuffleHints(person: person, as: Self.seed(of: order)))
      }
      for person in line.noted { add(.noteIndex(person: person)) }
      add(step)
      if !line.faults.isEmpty { script.faults[script.steps.count - 1] = line.faults }
    }
    return script
  }

  /// The seed of an order, if there is a small one.
  private static func seed(of order: [Int]) -> Int {
    let found = (0..<3_000_000).first { seed in
      var dice = Dice(beside: UInt64(seed))
      return Story.shuffled(order.count, &dice) == order
    }
    return found ?? 0
  }
}
