import FoundationEssentials

extension Control {
  /// Returns bytes as base64, the form of bytes in requests and answers.
  public static func base64(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
  }

  /// Returns the bytes of base64; nil if the text is something else.
  public static func bytes(base64 text: String) -> [UInt8]? {
    Data(base64Encoded: text).map { [UInt8]($0) }
  }
}
