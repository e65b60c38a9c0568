/// One story by itself: what is left of its script, its trace, and the shortest script that
/// fails in the same way.
public struct Replay {
  private var campaign = Campaign()
  private let script: Script

  /// The story of a seed.
  /// - Parameters:
  ///   - seed: which story.
  ///   - steps: the positions of the steps to play; all if nil.
  ///   - kind: the name of the only kind of trouble; drawn if nil.
  ///   - sabotage: the name of a guarantee to break; nil if the name is none.
  public init?(seed: UInt64, steps: [Int]?, kind: String?, sabotage: String?) {
    guard kind.map({ Script.Kind(rawValue: $0) != nil }) ?? true else { return nil }
    var script = Script(seed: seed, kind: kind.flatMap { Script.Kind(rawValue: $0) })
    if let sabotage {
      guard let named = Sabotage(rawValue: sabotage) else { return nil }
      script.sabotage = named
    }
    self.script = steps.map { Self.part(script, $0) } ?? script
  }

  /// The story that a script tells.
  /// - Throws: what of the text is no script.
  public init(script text: String) throws { script = try ScriptParser.parse(text) }

  /// The script by names: what the people do as it is played, and which calls its faults hit.
  /// - Throws: what keeps it from being played.
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

  /// Plays it; the lines of its trace, if they are kept, and what was found.
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
      // A scene that can't be made fails in another way.
      let played = try? campaign.play(Self.part(script, steps))
      return played?.violation?.rule == violation.rule
    }
    return shrinker.shrink(Array(script.steps.indices), budget: 600)
  }
}
