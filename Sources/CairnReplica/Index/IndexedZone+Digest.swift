import CairnIdentity
import CairnIndex
import CairnZone

/// The digest of the state, from all tables that it consists of.
extension IndexedZone {
  private static let page = 1_000

  /// The digest of the state in the index, with that header.
  func digest(under header: ZoneHeader) throws -> Bytes32 {
    StateDigest.digest(header, lists: try stateLists { _ in })
  }

  /// The digests of the four lists of the state in the index; `take` receives each piece.
  func stateLists(_ take: @escaping (StateDigest.Piece) throws -> Void) throws -> [Bytes32] {
    var records = Pages { [self] in try self.records.all(after: $0?.id, limit: Self.page) }
    var chunks = Pages { [self] in try self.chunks.entries(after: $0?.name, limit: Self.page) }
    var deletions = try self.records.deletions().makeIterator()
    var packs = try self.chunks.keptPacks().makeIterator()
    return [
      try StateDigest.digest(
        of: .records, next: { try records.next().map { .record($0) } }, take: take),
      try StateDigest.digest(
        of: .deletions,
        next: { deletions.next().map { .deletion($0.id, at: $0.sequence) } }, take: take),
      try StateDigest.digest(
        of: .chunks, next: { try chunks.next().map { .chunk($0) } }, take: take),
      try StateDigest.digest(of: .packs, next: { packs.next().map { .pack($0) } }, take: take),
    ]
  }
}

/// Rows that are read page by page, one after another.
private struct Pages<Row> {
  private let page: (Row?) throws -> [Row]
  /// The waiting rows; the next one is last.
  private var waiting: [Row] = []
  private var last: Row?
  private var isAtEnd = false

  init(_ page: @escaping (Row?) throws -> [Row]) { self.page = page }

  mutating func next() throws -> Row? {
    if waiting.isEmpty, !isAtEnd {
      waiting = try page(last).reversed()
      last = waiting.first
      isAtEnd = waiting.isEmpty
    }
    return waiting.popLast()
  }
}
