/// Plays the stories of many seeds, one after another, and counts the results.
public struct Campaign {
  /// The results.
  public struct Summary: Sendable {
    /// The number of stories.
    public var stories = 0
    /// The number of people's operations.
    public var operations = 0
    /// The number of faults of each kind.
    public var faults: [String: Int] = [:]
    /// The seeds that broke a rule.
    public var failures: [Failure] = []

    /// Creates empty results.
    public init() {}
  }

  /// A story that broke a rule.
  public struct Failure: Sendable {
    /// The seed.
    public var seed: UInt64
    /// The broken rule, and the finding.
    public var message: String
  }

  private let kind: Script.Kind?
  private var scenes: [Int: Scene] = [:]
  private var machines: [Machine] = []

  /// Creates a campaign.
  public init() { kind = nil }

  /// Creates a campaign with one kind of trouble; nil for an unknown name.
  public init?(kind: String) {
    guard let kind = Script.Kind(rawValue: kind) else { return nil }
    self.kind = kind
  }

  /// Plays one script.
  /// - Returns: the violation, the trace, and the figures of the story.
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

  /// Plays the story of a seed and adds its results. Returns the hash of its trace.
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
