/// A place of a log as it stands in keys. It must not know whose log.
enum LogPlace {
  /// Twenty decimal digits, so that keys are in the order of places.
  static func digits(_ place: UInt64) -> String {
    let count = 20
    return String(unsafeUninitializedCapacity: count) { digits in
      var rest = place
      // The room may be larger than what was asked for.
      for position in (0..<count).reversed() {
        digits[position] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      return count
    }
  }
}
