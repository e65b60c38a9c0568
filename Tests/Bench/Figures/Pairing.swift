/// Two revisions of Cairn in one figure. They were measured in turns, so that a slow minute of the
/// machine slows both.
public struct Pairing: Sendable, Equatable {
  /// The direction of a change.
  public enum Change: Sendable, Equatable {
    /// Each pair is slower, and together they are slower by more than 5 %.
    case worse
    /// Each pair is faster, and together they are faster by more than 5 %.
    case better
    /// The pairs don't agree, or the difference is small.
    case unclear
    /// The machine was busy with other work. The text says how busy.
    case notJudged(String)
  }

  /// The name of the figure, with the name of the figure that it belongs to.
  public var name: String
  /// The unit of the numbers.
  public var unit: String
  /// The older revision's number over its runs.
  public var old: Spread
  /// The newer revision's number over its runs.
  public var new: Spread
  /// The new number as a multiple of the old one, over the pairs. For a rate it is the inverse, so
  /// that more is always worse.
  public var ratio: Spread
  /// The direction of the change.
  public var change: Change

  /// The part by which a change must exceed 1 to be reported.
  static let margin = 0.05

  /// Pairs the figures that both revisions have, in the order of the first run.
  /// - Parameters:
  ///   - old: The figures of each run of the older revision.
  ///   - new: The figures of each run of the newer revision, in the same order.
  ///   - loads: The foreign load during all runs.
  /// - Returns: a pairing for each figure.
  public static func pair(_ old: [[Figure]], _ new: [[Figure]], loads: [Load]) -> [Pairing] {
    let trouble = loads.compactMap(\.trouble).first
    let both = zip(old, new).map { Array(zip(Self.named($0), Self.named($1))) }
    guard let first = both.first else { return [] }
    return first.indices.compactMap { place in
      // A run that ended early has no partner.
      let pairs = both.compactMap { place < $0.count ? $0[place] : nil }
        .filter { $0.0.name == first[place].0.name && $0.1.name == $0.0.name }
      return Pairing(first[place].0.name, pairs.map { ($0.0.figure, $0.1.figure) }, trouble)
    }
  }

  private static func named(_ run: [Figure]) -> [(name: String, figure: Figure)] {
    var parent = ""
    return run.map { figure in
      guard figure.name.hasPrefix("  ") else {
        parent = figure.name
        return (figure.name, figure)
      }
      return ("\(parent): \(figure.name.dropFirst(2))", figure)
    }
  }

  private init?(_ name: String, _ pairs: [(Figure, Figure)], _ trouble: String?) {
    guard let figure = pairs.first?.0 else { return nil }
    self.name = name
    unit = figure.unit
    old = Samples(pairs.map(\.0.value)).spread
    new = Samples(pairs.map(\.1.value)).spread
    // Two figures of nothing are equal.
    let ratios = pairs.map { pair -> Double in
      let (before, after) = figure.isRate ? (pair.1, pair.0) : pair
      return before.value == after.value ? 1 : after.value / before.value
    }
    ratio = Samples(ratios).spread
    if let trouble {
      change = .notJudged(trouble)
    } else if ratio.least > 1, ratio.median > 1 + Self.margin {
      change = .worse
    } else if ratio.most < 1, ratio.median < 1 - Self.margin {
      change = .better
    } else {
      change = .unclear
    }
  }
}
