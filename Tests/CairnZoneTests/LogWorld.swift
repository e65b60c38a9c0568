import CairnZone

/// The entries of a model, and the rules by which they are valid.
struct LogWorld {
  struct Entry {
    let previous: Int
    let author: String
    let kind: String
    /// The position in the log. Position 1 has the entry that founded the zone, which the model
    /// leaves out.
    let sequence: UInt64
    /// The entry that brought the key in force after this one.
    let key: Int
    let epoch: UInt64
    let isValid: Bool
    /// A Boolean value that indicates whether the adversary was removed.
    let isRemoved: Bool
    var raises: Bool { kind == "remove" || kind == "raise" }
  }

  /// A Boolean value that indicates whether entries below a log start may be deleted, also the one
  /// that founded the zone.
  var isCompacted = false

  private(set) var entries = [
    Entry(
      previous: 0, author: "", kind: "", sequence: 1, key: 0, epoch: 1, isValid: true,
      isRemoved: false)
  ]

  mutating func add(_ previous: Int, _ author: String, _ kind: String) {
    let before = entries[previous]
    let isHostile = author == "T" || author == "D"
    let isRaise = kind == "remove" || kind == "raise"
    entries.append(
      Entry(
        previous: previous, author: author, kind: kind, sequence: before.sequence + 1,
        key: isRaise ? entries.count : before.key, epoch: before.epoch + (isRaise ? 1 : 0),
        isValid: before.isValid && (!isRaise || author == "1") && !(isHostile && before.isRemoved),
        isRemoved: before.isRemoved || kind == "remove"))
  }

  /// The entries of the log that ends in one, the first one first.
  func chain(_ head: Int) -> [Int] {
    var found: [Int] = []
    var at = head
    while at != 0 {
      found.append(at)
      at = entries[at].previous
    }
    return found.reversed()
  }

  // MARK: As values of the reader

  static func digest(_ number: Int) -> Bytes32 {
    Bytes32((0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0) }) ?? .zero
  }

  static func number(_ digest: Bytes32) -> Int {
    digest.bytes.prefix(8).enumerated().reduce(0) { $0 + Int($1.element) << (8 * $1.offset) }
  }

  static func entry(_ number: Int) -> LogEntry {
    LogEntry(digest: digest(number), bytes: digest(number).bytes)
  }

  /// The author of an entry. The stolen device is one of the owner's.
  static func author(_ name: String) -> Author {
    let person: UInt8 = name == "T" ? 9 : name == "D" ? 1 : UInt8(name) ?? 0
    let device: UInt8 = name == "D" ? 8 : person
    return Author(
      user: UserID(Bytes32(Array(repeating: person, count: 32)) ?? .zero),
      device: DeviceID(Bytes16(high: 0, low: UInt64(device))))
  }

  static func isRevoked(_ author: Author) -> Bool { author == Self.author("D") }

  func commit(_ number: Int) -> Commit {
    let entry = entries[number]
    return Commit(
      previous: Self.digest(entry.previous), author: Self.author(entry.author), time: 0,
      epoch: entries[entry.previous].epoch, nextKey: entry.raises ? Self.digest(number) : nil)
  }

  func signed(_ number: Int) -> SignedEntry {
    let commit = commit(number)
    return SignedEntry(
      sequence: entries[number].sequence, previous: commit.previous, author: commit.author,
      isRevoked: Self.isRevoked(commit.author))
  }

  /// The header after an entry: 1 owns the zone, and 2, 3 and T may write.
  func header(after head: Int) -> ZoneHeader {
    var header = ZoneHeader(zone: ZoneID(.zero))
    let owner = Self.author("1").user
    header.sequence = entries[head].sequence
    header.head = Self.digest(head)
    header.epoch = entries[head].epoch
    header.owner = owner
    header.genesis = Genesis(owner: owner, name: "model")
    let isRemoved = entries[head].isRemoved
    let names = ["2", "3"] + (isRemoved ? [] : ["T"])
    let users = names.map { Self.author($0).user }
    let people = users.map {
      ($0, Participant(user: $0, role: .privateUser, permission: .readWrite, acceptance: .accepted))
    }
    let stamp = Stamp(sequence: 1, user: owner, device: Self.author("1").device, time: 0)
    header.share = Share(
      owner: owner, title: "", participants: Dictionary(people) { $1 }, changed: stamp)
    if isRemoved { header.revokedDevices = [Self.author("D")] }
    return header
  }
}
