/// The parts of an address on a line, as both kinds of stores read them that aren't folders.
enum AddressText {
  /// The parts between slashes; slashes at the end go.
  static func split(_ text: Substring) -> [Substring] {
    var parts = text.split(separator: "/", omittingEmptySubsequences: false)
    while parts.last?.isEmpty == true { parts.removeLast() }
    return parts
  }

  /// A name or number of a host, with a port perhaps, and nothing else: no user, above all.
  static func isHost(_ text: Substring) -> Bool {
    guard let last = text.utf8.last, last != UInt8(ascii: ":"), text.first != ":" else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      ObjectKey.isComponent([UInt8(ascii: "a"), byte | 0x20]) || byte == UInt8(ascii: ":")
        || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }
  }

  /// What every server takes as part of a path, and every link as part of a line.
  static func isName(_ text: Substring) -> Bool {
    guard !text.isEmpty, text != ".", text != "..", text.utf8.count <= 255 else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  /// Whether a host, with a port perhaps, is this machine, by what it is called.
  static func isLoopback(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host == "[::1]" || host.hasPrefix("[::1]:") }
    let name = host.prefix { $0 != ":" }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return name == "localhost"
      || numbers.count == 4 && numbers[0] == 127 && numbers.allSatisfy { $0 != nil }
  }
}
