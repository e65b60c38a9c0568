extension FixedWidthInteger {
  /// The sum, or the nearest limit of the type. Sizes and counts from strangers may overflow, and
  /// must not end the program.
  public func adding(saturating other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    guard overflows else { return sum }
    return other < 0 ? .min : .max
  }
}
