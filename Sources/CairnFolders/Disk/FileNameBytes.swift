/// The bytes of one name.
typealias FileNameBytes = [UInt8]

/// Joins the names to a relative path.
func joined(_ names: [FileNameBytes]) -> [UInt8] {
  Array(names.joined(separator: [UInt8(ascii: "/")]))
}
