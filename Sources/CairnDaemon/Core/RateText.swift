import CairnStore

/// The spelling of a speed limit in `cairn.conf`: a whole number of bytes per second, or a text
/// with a decimal unit, such as "300k", "1M" or "2G".
enum RateText {
  private static let units: [Character: Int64] = ["k": 1_000, "M": 1_000_000, "G": 1_000_000_000]

  /// Returns the bytes per second; nil if the value is no rate, or none of `TokenBucket.rates`.
  static func rate(_ value: ConfigurationText.Value) -> Int64? {
    guard let rate = value.int ?? value.string.flatMap(read), TokenBucket.rates.contains(rate)
    else { return nil }
    return rate
  }

  private static func read(_ text: String) -> Int64? {
    guard let last = text.last, let unit = units[last],
      text.dropLast().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(text.dropLast())
    else { return nil }
    let (rate, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    return isTooLarge ? nil : rate
  }
}
