/// Plays the histories of many seeds, one after the other, and keeps count.
public struct Campaign {
  /// What was played.
  public struct Summary: Sendable {
    /// How many histories.
    public var histories = 0
    /// How many operations of people.
    public var operations = 0
    /// How often each kind of fault happened.
    public var faults: [String: Int] = [:]
    /// The seeds that broke a rule.
    public var failures: [Failure] = []

    /// Nothing played yet.
    public init() {}
  }

  /// A history that broke a rule.
  public struct Failure: Sendable {
    /// The seed.
    public var seed: UInt64
    /// Which rule, and what was found.
    public var message: String
  }

  private let kind: Script.Kind?
  private var scenes: [Int: Scene] = [:]
  private var machines: [Machine] = []

  /// A campaign that hasn't begun.
  public init() { kind = nil }

  /// A campaign with one kind of trouble only; nil if there is none of that name.
  public init?(kind: String) {
    guard let kind = Script.Kind(rawValue: kind) else { return nil }
    self.kind = kind
  }

  /// Plays one script.
  /// - Returns: the violation that was found, the trace, and the history's figures.
  mutating func play(
    _ script: Script, keepsTrace: Bool = false, recorder: Recorder? = nil
  ) throws -> (violation: Violation?, history: History) {
    try SimulatedThread.play { try playHere(script, keepsTrace, recorder) }
  }

  private mutating func playHere(
    _ script: Script, _ keepsTrace: Bool, _ recorder: Recorder?
  ) throws -> (violation: Violation?, history: History) {
    let scene = try scenes[script.people] ?? Scene(people: script.people)
    scenes[script.people] = scene
    while machines.count < script.people { machines.append(try Machine()) }
    let history = try History(
      script, scene: scene, machines: machines, keepsTrace: keepsTrace,
      recorder: recorder)
    do { try history.play() } catch let violation as Violation {
      return (violation, history)
    } catch {
      return (Violation(rule: "simulator", message: "\(error)"), history)
    }
    return (nil, history)
  }

  /// Plays the history of a seed into a summary; returns the hash of its trace.
  @discardableResult
  public mutating func play(seed: UInt64, into summary: inout Summary) throws -> UInt64 {
    let (violation, history) = try play(Script(seed: seed, kind: kind))
    summary.histories += 1
    summary.operations += history.operations
    for (fault, count) in history.faults { summary.faults[fault, default: 0] += count }
    if let violation {
      summary.failures.append(Failure(seed: seed, message: violation.description))
    }
    return history.trace.hash
  }
}
