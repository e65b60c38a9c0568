import CairnZone

/// The anchor of a person's chain: its length and digest as another person saw it, for a person who
/// does not know the chain yet.
public struct ChainAnchor: Equatable, Sendable {
  /// The number of entries.
  public let length: UInt64
  /// The beginning of the digest of the last one.
  let head: Bytes16

  init(length: UInt64, head: Bytes16) {
    self.length = length
    self.head = head
  }

  /// Creates an anchor of a person's chain, as read here.
  public init(_ person: Person) {
    guard let head = Bytes16(person.head.bytes.prefix(16)) else {
      preconditionFailure("a digest begins with 16 bytes")
    }
    self.init(length: person.length, head: head)
  }
}

extension People {
  /// Returns whether the chain of this state passes through an anchor.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry is invalid.
  public func passes(_ person: Person, through anchor: ChainAnchor) throws -> Bool {
    var isThrough = false
    var last: Person?
    try walk(person.id, upTo: person.length) { _, next in
      isThrough = isThrough || ChainAnchor(next) == anchor
      last = next
    }
    return isThrough && last == person
  }
}
