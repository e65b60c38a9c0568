/// The limit of a figure.
public enum Goal: Sendable, Equatable {
  /// At most this multiple of the bare equivalent.
  case times(Double)
  /// At most this amount.
  case most(Double)
  /// At least this amount.
  case least(Double)
}

/// The result of one run of a case, against the bare equivalent of the same run.
public struct Figure: Sendable {
  /// The case. A name with two spaces in front belongs to the figure before it.
  public var name: String
  /// The unit of the numbers: `ms`, `s`, `MiB`, …
  public var unit: String
  /// Cairn's samples.
  public var cairn: Samples
  /// The samples of the bare equivalent; nil if there is no equivalent.
  public var bare: Samples?
  /// The part of the sorted samples that counts: 0.5 is the median.
  public var part: Double
  /// The limit; nil: no limit.
  public var goal: Goal?
  /// A Boolean value that indicates whether the numbers are amounts per second, so that more is
  /// better.
  public var isRate = false
  /// The resources that Cairn used for it, if they were measured.
  public var cost = Cost()

  /// Cairn's number.
  public var value: Double { cairn.quantile(part) }
  /// The number of the bare equivalent.
  public var bareValue: Double? { bare?.quantile(part) }
  /// Cairn's number as a multiple of the bare equivalent's.
  public var ratio: Double? { bareValue.map { isRate ? $0 / value : value / $0 } }

  /// Creates a figure from several samples of each.
  /// - Parameters:
  ///   - name: The case.
  ///   - unit: The unit of the numbers.
  ///   - cairn: Cairn's samples.
  ///   - bare: The samples of the bare equivalent.
  ///   - part: The part of the sorted samples that counts.
  ///   - bar: The largest multiple of the bare equivalent, or the largest amount without one.
  ///   - most: The largest amount, also if there is an equivalent.
  public init(
    _ name: String, _ unit: String, _ cairn: [Double], bare: [Double]?, at part: Double = 0.5,
    bar: Double? = nil, most: Double? = nil
  ) {
    self.name = name
    self.unit = unit
    self.cairn = Samples(cairn)
    self.bare = bare.map { Samples($0) }
    self.part = part
    goal = most.map { .most($0) } ?? bar.map { bare == nil ? .most($0) : .times($0) }
  }

  /// Creates a figure from one sample of each.
  public init(
    _ name: String, _ unit: String, _ cairn: Double, bare: Double? = nil, bar: Double? = nil,
    most: Double? = nil
  ) {
    self.init(name, unit, [cairn], bare: bare.map { [$0] }, bar: bar, most: most)
  }

  /// Creates a figure from several samples of an amount per second.
  public init(
    rate name: String, _ unit: String, _ cairn: [Double], bare: [Double]? = nil,
    least: Double? = nil
  ) {
    self.init(name, unit, cairn, bare: bare)
    isRate = true
    goal = least.map { .least($0) }
  }

  /// Returns the figure with the resources that it took, and the processor seconds of the bare
  /// equivalent.
  public func costing(_ cost: Cost, bare: Double? = nil) -> Figure {
    var figure = self
    figure.cost = cost
    figure.cost.bareProcessor = bare
    return figure
  }

  /// Returns the figures with the numbers of system calls from another run of the same case.
  public static func counted(_ figures: [Figure], by traced: [Figure]) -> [Figure] {
    figures.enumerated().map { place, figure in
      guard place < traced.count, traced[place].name == figure.name else { return figure }
      var figure = figure
      figure.cost.calls = traced[place].cost.calls
      return figure
    }
  }
}

/// The resources that a figure took. What wasn't measured is nil.
public struct Cost: Sendable, Equatable, Codable {
  /// Processor seconds of the daemons and of the processes that they wait for.
  public var processor: Double?
  /// Processor seconds of the bare equivalent.
  public var bareProcessor: Double?
  /// Bytes that the container has more than before.
  public var stored: Double?
  /// Bytes that each daemon wrote, write-ahead logs included.
  public var written: [Double]?
  /// Bytes that both daemons let the kernel send to a disk.
  public var toDisk: Double?
  /// The number of system calls of the daemons.
  public var calls: Double?

  /// Creates a cost without anything measured.
  public init() {}

  /// The medians of the costs of several runs.
  static func median(_ costs: [Cost]) -> Cost {
    func middle(_ part: (Cost) -> Double?) -> Double? {
      let values = costs.compactMap(part)
      return values.isEmpty ? nil : Samples(values).median
    }
    var cost = Cost()
    cost.processor = middle(\.processor)
    cost.bareProcessor = middle(\.bareProcessor)
    cost.stored = middle(\.stored)
    cost.toDisk = middle(\.toDisk)
    cost.calls = middle(\.calls)
    let written = costs.compactMap(\.written)
    if let count = written.map(\.count).min() {
      cost.written = (0..<count).map { place in Samples(written.map { $0[place] }).median }
    }
    return cost
  }
}
