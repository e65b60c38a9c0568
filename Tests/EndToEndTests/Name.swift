/// A path below a test's folder, as bytes, because POSIX has no encoding.
struct Name: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(stringLiteral value: String) { bytes = Array(value.utf8) }

  var description: String { String(decoding: bytes, as: UTF8.self).debugDescription }

  func starts(with text: String) -> Bool { bytes.starts(with: text.utf8) }

  static func / (left: Name, right: Name) -> Name { Name(left.bytes + [0x2F] + right.bytes) }
}
