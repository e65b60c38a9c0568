/// Numbers as text.
public enum Numbers {
  /// Returns a number with as many digits as people read in a table.
  public static func short(_ value: Double) -> String {
    guard value.isFinite else { return "-" }
    guard abs(value) < 1e15 else { return "\(value)" }
    if abs(value) >= 100 { return "\(Int(value.rounded()))" }
    if abs(value) < 0.1, value != 0 { return "\((value * 10_000).rounded() / 10_000)" }
    return "\((value * 100).rounded() / 100)"
  }

  /// Returns a number of bytes with its unit.
  public static func bytes(_ value: Double) -> String {
    switch abs(value) {
    case ..<10_240: "\(short(value)) B"
    case ..<1_048_576: "\(short(value / 1_024)) KiB"
    default: "\(short(value / 1_048_576)) MiB"
    }
  }
}
