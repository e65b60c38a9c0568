/// A bell: an object of one device's in the folder `bells`, whose name says that it wrote something
/// and, to those who know the tags, where. One list of names answers for all folders. A bell is a
/// hint: lost or forged, it costs time. It must not know what a tag is made of.
struct Bell: Hashable, Sendable {
  /// The folder of all bells.
  static let folder = "bells"
  /// The most tags that a name carries.
  static let inName = 16
  /// The most tags that the bytes of a bell carry.
  static let inBytes = 1_000
  /// The tag of what stands beside zones: identities, inboxes, codes. It says nothing of whose.
  static let common: UInt32 = 0

  /// A tag, and how long ago it was rung.
  struct Rung: Hashable, Sendable {
    let tag: UInt32
    /// How many tags the owner rang after it; in a name 65535 if it is more.
    let age: UInt32
  }

  /// Whose it is: 16 bytes in hexadecimal, which only that device can relate to itself.
  let owner: String
  /// How many tags were rung by the owner so far, those of this bell counted.
  let count: UInt64
  /// The last tags that were rung, each once, the newest first.
  let tags: [Rung]

  /// A bell; of the tags only the newest are named.
  init(owner: String, count: UInt64, tags: some Sequence<Rung>) {
    precondition(Self.isOwner(owner[...]), "\(owner) owns no bell")
    self.owner = owner
    self.count = count
    self.tags = tags.prefix(Self.inName).map { Rung(tag: $0.tag, age: min($0.age, 0xFFFF)) }
  }

  /// Reads a key; nil if it is none of a bell's.
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

  /// The key that it stands under.
  var key: ObjectKey {
    let name = "\(owner)-\(Self.text(count, digits: 16))"
    let list = tags.map {
      Self.text(UInt64($0.tag), digits: 8) + Self.text(UInt64($0.age), digits: 4)
    }.joined()
    return ObjectKey(checked: "\(Self.folder)/\(name)" + (list.isEmpty ? "" : "-" + list))
  }

  /// The bytes of a bell: more tags than its name has room for, the newest first.
  static func bytes(of tags: some Sequence<Rung>) -> [UInt8] {
    tags.prefix(inBytes).flatMap { rung in
      [rung.tag, rung.age].flatMap { number in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
      }
    }
  }

  /// The tags in the bytes of a bell; of bytes that are no tags, nothing.
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
