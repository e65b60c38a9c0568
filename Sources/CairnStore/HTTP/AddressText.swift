/// The parts of an address, as both kinds of network stores read them.
enum AddressText {
  /// The parts between slashes, without slashes at the end.
  static func split(_ text: Substring) -> [Substring] {
    var parts = text.split(separator: "/", omittingEmptySubsequences: false)
    while parts.last?.isEmpty == true { parts.removeLast() }
    return parts
  }

  /// Returns whether this is only a host name or number, possibly with a port, and without a user.
  static func isHost(_ text: Substring) -> Bool {
    guard let last = text.utf8.last, last != UInt8(ascii: ":"), text.first != ":" else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      ObjectKey.isComponent([UInt8(ascii: "a"), byte | 0x20]) || byte == UInt8(ascii: ":")
        || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }
  }

  /// Returns whether every server accepts this as part of a path, and every link as part of a line.
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

  /// Returns whether a host, possibly with a port, is this machine, judged by its name.
  static func isLoopback(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host == "[::1]" || host.hasPrefix("[::1]:") }
    let name = host.prefix { $0 != ":" }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return name == "localhost"
      || numbers.count == 4 && numbers[0] == 127 && numbers.allSatisfy { $0 != nil }
  }
}
