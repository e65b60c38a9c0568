/// One story alone: its remaining script, its trace, and the shortest script with the same failure.
public struct Replay {
  private var campaign = Campaign()
  private let script: Script

  /// Creates the story of a seed.
  /// - Parameters:
  ///   - seed: The seed.
  ///   - steps: The positions of the steps to play; nil plays all.
  ///   - kind: The name of the only kind of trouble; nil draws one.
  ///   - sabotage: The name of a guarantee to break.
  public init?(seed: UInt64, steps: [Int]?, kind: String?, sabotage: String?) {
    guard kind.map({ Script.Kind(rawValue: $0) != nil }) ?? true else { return nil }
    var script = Script(seed: seed, kind: kind.flatMap { Script.Kind(rawValue: $0) })
    if let sabotage {
      guard let named = Sabotage(rawValue: sabotage) else { return nil }
      script.sabotage = named
    }
    self.script = steps.map { Self.part(script, $0) } ?? script
  }

  /// Creates the story of a script; with other keys and ids, if a seed is given.
  /// - Throws: the part of the text that is invalid.
  public init(script text: String, seed: UInt64? = nil) throws {
    var script = try ScriptParser.parse(text)
    script.seed = seed ?? script.seed
    self.script = script
  }

  /// The source of its keys and ids.
  public var seed: UInt64 { script.seed }

  /// The script with names: the people's actions as played, and the calls that its faults hit.
  /// - Throws: the reason if it cannot be played.
  public mutating func text() throws -> String {
    guard script.lines.isEmpty else { return script.text }
    let recorder = Recorder()
    let (violation, _) = try campaign.play(script, recorder: recorder)
    var named = recorder.script(script)
    named.once = violation?.description ?? ""
    return named.text
  }

  private static func part(_ script: Script, _ steps: [Int]) -> Script {
    var part = script
    part.steps = steps.filter { script.steps.indices.contains($0) }.map { script.steps[$0] }
    return part
  }

  /// Plays the story. Returns the lines of its trace, if they are kept, and the finding.
  public mutating func play(
    keepsTrace: Bool = true
  ) throws -> (lines: [String], violation: String?, hash: UInt64) {
    let (violation, story) = try campaign.play(script, keepsTrace: keepsTrace)
    return (story.trace.lines, violation?.description, story.trace.hash)
  }

  /// The positions of the steps that are needed to break the same rule; nil if none is broken.
  public mutating func shrink() throws -> [Int]? {
    guard let violation = try campaign.play(script).violation else { return nil }
    let script = script
    var campaign = campaign
    let shrinker = Shrinker { steps in
      // A scene that cannot be created fails in another way.
      let played = try? campaign.play(Self.part(script, steps))
      return played?.violation?.rule == violation.rule
    }
    return shrinker.shrink(Array(script.steps.indices), budget: 600)
  }
}
