/// A change marker: an object of one device in the folder `bells`. Its name says that the device
/// wrote something and, to readers who know the topics, where. One list of names covers all
/// folders. A marker is a hint: a lost or forged one only costs time. It must not know the origin
/// of a topic.
struct Bell: Hashable, Sendable {
  /// The folder of all change markers.
  static let folder = "bells"
  /// The maximum number of topics in a name.
  static let inName = 16
  /// The maximum number of topics in the bytes of a marker.
  static let inBytes = 1_000
  /// The topic of objects outside zones: identities, inboxes, codes. It does not say whose.
  static let common: UInt32 = 0

  /// A topic, and its age.
  struct Rung: Hashable, Sendable {
    let tag: UInt32
    /// The number of topics that the owner reported after it; 65535 in a name for larger numbers.
    let age: UInt32
  }

  /// The owner: 16 bytes in hexadecimal that only that device can relate to itself.
  let owner: String
  /// The number of topics that the owner reported so far, including those of this marker.
  let count: UInt64
  /// The last reported topics, each once, the newest first.
  let tags: [Rung]

  /// Creates a marker with the newest of the topics.
  init(owner: String, count: UInt64, tags: some Sequence<Rung>) {
    precondition(Self.isOwner(owner[...]), "\(owner) owns no bell")
    self.owner = owner
    self.count = count
    self.tags = tags.prefix(Self.inName).map { Rung(tag: $0.tag, age: min($0.age, 0xFFFF)) }
  }

  /// Reads a key; nil if it is not the key of a marker.
  init?(_ key: ObjectKey) {
    guard key.folder == Self.folder else { return nil }
    let parts = key.name.split(separator: "-", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), Self.isOwner(parts[0]),
      let count = Self.number(parts[1], digits: 16),
      let tags = parts.count == 3 ? Self.tags(named: parts[2]) : []
    else { return nil }
    owner = String(parts[0])
    self.count = count
    self.tags = tags
  }

  private static func tags(named text: Substring) -> [Rung]? {
    let length = text.utf8.count
    guard length % 12 == 0, (12...12 * inName).contains(length) else { return nil }
    var (tags, rest) = ([Rung](), text)
    while !rest.isEmpty {
      guard let tag = number(rest.prefix(8), digits: 8),
        let age = number(rest.dropFirst(8).prefix(4), digits: 4)
      else { return nil }
      tags.append(Rung(tag: UInt32(tag), age: UInt32(age)))
      rest = rest.dropFirst(12)
    }
    return tags
  }

  /// The key of the marker.
  var key: ObjectKey {
    let name = "\(owner)-\(Self.text(count, digits: 16))"
    let list = tags.map {
      Self.text(UInt64($0.tag), digits: 8) + Self.text(UInt64($0.age), digits: 4)
    }.joined()
    return ObjectKey(checked: "\(Self.folder)/\(name)" + (list.isEmpty ? "" : "-" + list))
  }

  /// The bytes of a marker: more topics than its name can hold, the newest first.
  static func bytes(of tags: some Sequence<Rung>) -> [UInt8] {
    tags.prefix(inBytes).flatMap { rung in
      [rung.tag, rung.age].flatMap { number in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
      }
    }
  }

  /// The topics in the bytes of a marker; none for invalid bytes.
  static func tags(in bytes: [UInt8]) -> [Rung] {
    guard bytes.count % 8 == 0 else { return [] }
    func number(_ start: Int) -> UInt32 {
      bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    return stride(from: 0, to: min(bytes.count, 8 * inBytes), by: 8).map {
      Rung(tag: number($0), age: number($0 + 4))
    }
  }

  private static func isOwner(_ text: Substring) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func number(_ text: Substring, digits: Int) -> UInt64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy(isDigit) else { return nil }
    return UInt64(text, radix: 16)
  }

  private static func text(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }
}
