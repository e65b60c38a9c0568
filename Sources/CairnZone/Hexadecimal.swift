private let digits = Array("0123456789abcdef".utf8)

/// The bytes as lower-case hexadecimal text.
public func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
  String(unsafeUninitializedCapacity: bytes.count * 2) { text in
    for (index, byte) in bytes.enumerated() {
      text[2 * index] = digits[Int(byte >> 4)]
      text[2 * index + 1] = digits[Int(byte & 15)]
    }
    return bytes.count * 2
  }
}

/// Parses lower-case hexadecimal digits; nil for anything else.
public func readHexadecimal(_ text: [UInt8]) -> [UInt8]? {
  guard text.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: text.count, by: 2) {
    guard let high = digits.firstIndex(of: text[index]),
      let low = digits.firstIndex(of: text[index + 1])
    else { return nil }
    bytes.append(UInt8(high << 4 | low))
  }
  return bytes
}
