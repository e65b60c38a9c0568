/// Measured numbers of one kind, in ascending order.
public struct Samples: Sendable, Equatable {
  /// The numbers, the smallest first.
  public let sorted: [Double]

  /// Sorts the numbers.
  public init(_ values: [Double]) { sorted = values.sorted() }

  /// The number in the middle, or the mean of the two in the middle; NaN without numbers.
  public var median: Double { quantile(0.5) }
  /// The smallest number; NaN without numbers.
  public var least: Double { sorted.first ?? .nan }
  /// The largest number; NaN without numbers.
  public var most: Double { sorted.last ?? .nan }
  /// The median, and the smallest and the largest number.
  public var spread: Spread { Spread(median: median, least: least, most: most) }

  /// Returns the number at this part of the sorted row, 0 to 1, interpolated between neighbours
  /// (type 7 of Hyndman and Fan); NaN without numbers.
  public func quantile(_ part: Double) -> Double {
    guard let last = sorted.indices.last else { return .nan }
    let place = min(max(part, 0), 1) * Double(last)
    let below = Int(place)
    let above = min(below + 1, last)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}

/// The median of several runs, with their smallest and largest number.
public struct Spread: Sendable, Equatable, Codable {
  /// The number in the middle.
  public var median: Double
  /// The smallest number.
  public var least: Double
  /// The largest number.
  public var most: Double

  /// Creates a spread.
  public init(median: Double, least: Double, most: Double) {
    self.median = median
    self.least = least
    self.most = most
  }
}
