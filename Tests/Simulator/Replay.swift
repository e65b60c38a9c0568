/// One history by itself: what is left of its script, its trace, and the shortest script that
/// fails in the same way.
public struct Replay {
  private var campaign = Campaign()
  private let script: Script

  /// The history of a seed.
  /// - Parameters:
  ///   - seed: which history.
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

  /// The script as Swift, for a test that keeps it.
  public var code: String { script.code }

  private static func part(_ script: Script, _ steps: [Int]) -> Script {
    var part = script
    part.steps = steps.filter { script.steps.indices.contains($0) }.map { script.steps[$0] }
    return part
  }

  /// Plays it; the lines of its trace, and what was found.
  public mutating func play() throws -> (lines: [String], violation: String?, hash: UInt64) {
    let (violation, history) = try campaign.play(script, keepsTrace: true)
    return (history.trace.lines, violation?.description, history.trace.hash)
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

extension Script {
  /// The script as Swift: what is drawn from a seed changes with the drawing, and this doesn't.
  var code: String {
    // What Swift prints of a nested case needs its type left out.
    func plain(_ value: Any) -> String {
      var text = "\(value)"
      for type in [
        "Operation", "Step.DiskFault", "Step.StoreFault", "Step.HintFate", "Step.IndexLoss",
        "Step.RootFate",
      ] {
        text.replace("Simulator.\(type).", with: ".")
      }
      return text
    }
    let plainTraits = SimulatedDisk.Traits()
    var lines = ["Script(", "  seed: \(seed), people: \(people),", "  traits: ["]
    for one in traits {
      lines.append("    .init\(one == plainTraits ? "()" : "\(one)".drop { $0 != "(" }),")
    }
    lines.append("  ],")
    lines.append("  steps: [")
    for step in steps { lines.append("    .\(plain(step)),") }
    return (lines + ["  ])"]).joined(separator: "\n")
  }
}
