/// Plays the stories of many seeds, one after the other, and keeps count.
public struct Campaign {
  /// What was played.
  public struct Summary: Sendable {
    /// How many stories.
    public var stories = 0
    /// How many operations of people.
    public var operations = 0
    /// How often each kind of fault happened.
    public var faults: [String: Int] = [:]
    /// The seeds that broke a rule.
    public var failures: [Failure] = []

    /// Nothing played yet.
    public init() {}
  }

  /// A story that broke a rule.
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
  /// - Returns: the violation that was found, the trace, and the story's figures.
  mutating func play(
    _ script: Script, keepsTrace: Bool = false, recorder: Recorder? = nil
  ) throws -> (violation: Violation?, story: Story) {
    try SimulatedThread.play { try playHere(script, keepsTrace, recorder) }
  }

  private mutating func playHere(
    _ script: Script, _ keepsTrace: Bool, _ recorder: Recorder?
  ) throws -> (violation: Violation?, story: Story) {
    let scene = try scenes[script.people] ?? Scene(people: script.people)
    scenes[script.people] = scene
    while machines.count < script.people { machines.append(try Machine()) }
    let story = try Story(
      script, scene: scene, machines: machines, keepsTrace: keepsTrace,
      recorder: recorder)
    do { try story.play() } catch let violation as Violation {
      return (violation, story)
    } catch {
      return (Violation(rule: "simulator", message: "\(error)"), story)
    }
    return (nil, story)
  }

  /// Plays the story of a seed into a summary; returns the hash of its trace.
  @discardableResult
  public mutating func play(seed: UInt64, into summary: inout Summary) throws -> UInt64 {
    let (violation, story) = try play(Script(seed: seed, kind: kind))
    summary.stories += 1
    summary.operations += story.operations
    for (fault, count) in story.faults { summary.faults[fault, default: 0] += count }
    if let violation {
      summary.failures.append(Failure(seed: seed, message: violation.description))
    }
    return story.trace.hash
  }
}
