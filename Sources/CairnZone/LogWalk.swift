/// The way back from a proof of a log's continuation to its known part: each entry names the one
/// before it, and is read from its position or from a spare copy. It decides whether the way
/// counts.
struct LogWalk: Hashable, Sendable {
  /// The number of bytes of entries that are kept for the lowest positions; of the others only
  /// digests are kept.
  private static let kept = 16 << 20

  /// The result of a way.
  enum Result: Hashable, Sendable {
    /// It leads to the known part, by these entries.
    case leads(ExpectedEntries)
    /// An entry would replace one with another device's signature.
    case denied
    /// An entry is missing, or the way does not lead past the position without one.
    case missing
    /// Only a newer Cairn can read an entry.
    case newer
  }

  private enum State: Hashable, Sendable {
    case finding
    /// An object at the position of a spare copy may be another device's.
    case comparing(LogCursor.Found, by: Author, epoch: UInt64)
    case asking(LogCursor.Found, about: Author)
    /// The spare copies for free positions, the lowest last.
    case filling([Copy])
    case done(Result)
  }

  private struct Copy: Hashable, Sendable {
    let sequence: UInt64
    let entry: LogEntry
  }

  private let proof: LogCursor.Proof
  /// The position without a valid entry.
  private let first: UInt64
  /// The last replayed entry.
  private let last: ChainHead
  private var expected = ExpectedEntries()
  /// The next position, and the digest of its entry.
  private var place: UInt64
  private var wanted: Bytes32
  private var isDenied = false
  /// The highest position whose bytes are kept, and the number of all kept bytes.
  private var top: UInt64
  private var size = 0
  private var state = State.finding

  init(_ proof: LogCursor.Proof, from first: UInt64, backTo header: ZoneHeader) {
    self.proof = proof
    self.first = first
    last = ChainHead(length: header.sequence, head: header.head)
    (place, wanted, top) = (proof.sequence, proof.digest, proof.sequence)
    endIfBack()
  }

  /// The next question; nil if there is a result.
  var ask: LogCursor.Ask? {
    switch state {
    case .finding: .entry(wanted, at: place)
    case .comparing(_, _, let epoch): .signer(at: place, epoch: epoch)
    case .asking(_, let author): .isRevoked(author)
    case .filling(let copies): copies.last.map { .fill($0.sequence, with: $0.entry) }
    case .done: nil
    }
  }

  /// The result, once there is no question.
  var result: Result? { if case .done(let result) = state { result } else { nil } }

  /// Takes the answer to the question.
  /// - Returns: false if it answers another one.
  mutating func take(_ answer: LogCursor.Answer) -> Bool {
    switch (state, answer) {
    case (.finding, .entry(nil)): state = .done(.missing)
    case (.finding, .entry(let found?)): take(found)
    case (.comparing(let found, let author, _), .signer(let signer)):
      if let other = LogCursor.displaced(signer, by: author, found.entry) {
        state = .asking(found, about: other)
      } else {
        step(over: found)
      }
    case (.asking(let found, _), .bool(let isRevoked)):
      isDenied = !isRevoked
      step(over: found)
    case (.filling(let copies), .bool(let isFilled)):
      guard isFilled else {
        state = .done(.missing)
        break
      }
      fill(copies.dropLast())
    default: return false
    }
    return true
  }

  private mutating func take(_ found: LogCursor.Found) {
    if found.isCopy, !proof.isTrusted, !isDenied,
      case .signed(_, let author, let epoch) = found.content
    {
      state = .comparing(found, by: author, epoch: epoch)
    } else {
      step(over: found)
    }
  }

  private mutating func step(over found: LogCursor.Found) {
    // A long way is not repeated in vain at each check.
    if isDenied, proof.sequence - place > LogCursor.lookAhead { return state = .done(.denied) }
    expected.take(found.entry, at: place)
    if found.isCopy { expected.copied.insert(place) }
    size += found.entry.bytes.count
    while size > Self.kept, top > place {
      size -= expected.entries.removeValue(forKey: top)?.count ?? 0
      top -= 1
    }
    switch found.content {
    // Its signature is checked during replay.
    case .signed(let previous, _, _): wanted = previous
    case .newer: return state = .done(.newer)
    case .invalid: return state = .done(.missing)
    }
    place -= 1
    state = .finding
    endIfBack()
  }

  private mutating func endIfBack() {
    guard place <= last.length else { return }
    guard wanted == last.head else { return state = .done(.missing) }
    guard !isDenied else { return state = .done(.denied) }
    guard expected.tells(first) || proof.sequence < first else { return state = .done(.missing) }
    fill(expected.copies.reversed().map { Copy(sequence: $0.sequence, entry: $0.entry) })
  }

  /// Has the free positions of spare copies filled, the lowest first, so that a slow writer does
  /// not use them.
  private mutating func fill(_ copies: [Copy]) {
    state = copies.isEmpty ? .done(.leads(expected)) : .filling(copies)
  }
}
