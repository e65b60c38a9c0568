extension FixedWidthInteger {
  /// The sum, or the nearest number that there is: sizes and counts of strangers may add up to more
  /// than a number can be, and end nothing by that.
  public func adding(saturating other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    guard overflows else { return sum }
    return other < 0 ? .min : .max
  }
}
