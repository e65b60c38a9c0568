import CQREncode

/// A text as a QR code, for a phone's camera or a second screen. It knows squares, not the colours
/// of terminals.
public struct QRCode: Sendable {
  /// The number of squares per row, and of rows.
  public let width: Int
  private let isDark: [Bool]

  /// Creates the code of exactly this text; nil if it is empty or too long (2,953 bytes).
  public init?(_ text: String) {
    let made = text.withCString { QRcode_encodeString8bit($0, 0, QR_ECLEVEL_L) }
    guard let made else { return nil }
    defer { QRcode_free(made) }
    width = Int(made.pointee.width)
    isDark = (0..<width * width).map { made.pointee.data[$0] & 1 == 1 }
  }

  /// Returns whether the square is dark. Everything around the code is light.
  public func isDark(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return isDark[row * width + column]
  }
}
