/// The result of all runs of one figure.
public struct Outcome: Sendable, Codable {
  /// The comparison of a figure with its goal.
  public enum Verdict: Sendable, Equatable {
    /// The figure has no goal.
    case none
    case met
    case missed
    /// The machine was busy with other work. The text says how busy.
    case notJudged(String)
  }

  /// The name of the figure, with the name of the figure that it belongs to.
  public var name: String
  /// The name in a table, where it stands below the figure that it belongs to.
  public var label: String
  /// The unit of the numbers.
  public var unit: String
  /// Cairn's number over the runs.
  public var cairn: Spread
  /// The number of the bare equivalent over the runs.
  public var bare: Spread?
  /// The ratio of each run, over the runs.
  public var ratio: Spread?
  /// The 99th percentile of Cairn's samples of all runs; nil for a figure with few samples.
  public var tail: Double?
  /// The 99th percentile of the bare equivalent's samples of all runs.
  public var bareTail: Double?
  /// The largest permitted ratio.
  public var times: Double?
  /// The largest permitted amount.
  public var most: Double?
  /// The smallest permitted amount.
  public var least: Double?
  /// The medians of the resources that the runs took.
  public var cost: Cost
  /// The largest foreign load of the runs.
  public var load: Load

  /// The number of samples of a run from which on their 99th percentile means something.
  static let samplesOfTail = 20

  /// Returns the outcomes of several runs of a case, in the order of the first run that has each.
  /// There is a foreign load for each run.
  public static func merge(_ runs: [[Figure]], loads: [Load]) -> [Outcome] {
    var order: [String] = []
    var found: [String: [Figure]] = [:]
    for run in runs {
      var parent = ""
      var seen: [String: Int] = [:]
      for figure in run {
        let isDetail = figure.name.hasPrefix("  ")
        if !isDetail { parent = figure.name }
        let name = isDetail ? "\(parent): \(figure.name.dropFirst(2))" : figure.name
        seen[name, default: 0] += 1
        let times = seen[name] ?? 1
        let key = times == 1 ? name : "\(name) (\(times))"
        if found[key] == nil { order.append(key) }
        found[key, default: []].append(figure)
      }
    }
    let load = loads.reduce(Load(foreign: 0, pressure: nil)) { $0.worse($1) }
    return order.compactMap { name in found[name].map { Outcome(name, $0, load) } }
  }

  private init(_ name: String, _ figures: [Figure], _ load: Load) {
    self.name = name
    self.load = load
    label = figures.first?.name ?? name
    unit = figures.first?.unit ?? ""
    cairn = Samples(figures.map(\.value)).spread
    let bares = figures.compactMap(\.bareValue)
    bare = bares.isEmpty ? nil : Samples(bares).spread
    let ratios = figures.compactMap(\.ratio)
    ratio = ratios.isEmpty ? nil : Samples(ratios).spread
    tail = Self.tail(figures.map(\.cairn), figures)
    bareTail = Self.tail(figures.compactMap(\.bare), figures)
    cost = Cost.median(figures.map(\.cost))
    switch figures.first?.goal {
    case .times(let limit): times = limit
    case .most(let limit): most = limit
    case .least(let limit): least = limit
    case nil: break
    }
  }

  private static func tail(_ samples: [Samples], _ figures: [Figure]) -> Double? {
    guard figures.allSatisfy({ $0.part == 0.5 }), !samples.isEmpty,
      samples.allSatisfy({ $0.sorted.count >= samplesOfTail })
    else { return nil }
    return Samples(samples.flatMap(\.sorted)).quantile(0.99)
  }

  /// The judgement. On a busy machine there is none, whatever the numbers are.
  public var verdict: Verdict {
    let isMet: Bool
    if let times {
      isMet = (ratio?.median ?? .nan) <= times
    } else if let most {
      isMet = cairn.median <= most
    } else if let least {
      isMet = cairn.median >= least
    } else {
      return .none
    }
    if let trouble = load.trouble { return .notJudged(trouble) }
    return isMet ? .met : .missed
  }
}
