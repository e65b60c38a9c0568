import CairnContainer
import CairnReplica
import CairnZone

/// Writes into a zone as engines do, but without an engine: small files with new bytes each time,
/// which don't compress.
struct PastWriter {
  let zone: Zone
  /// The bytes of a file.
  let size: Int
  private var noise = Noise(5)

  init(_ zone: Zone, size: Int = 1_024) {
    self.zone = zone
    self.size = size
  }

  /// Makes files with the numbers up to that one, 2,000 in an entry.
  mutating func make(_ files: Int) throws {
    for first in stride(from: 1, through: files, by: 2_000) {
      var changes: [RecordChange] = []
      for number in first..<min(first + 2_000, files + 1) {
        changes.append(FoldPart.file(number, try content()))
      }
      try zone.commit(changes, expecting: zone.header.sequence)
    }
  }

  /// Saves a file, in an entry of its own.
  mutating func save(_ number: Int) throws {
    var change = RecordChange(id: RecordID(number: number), act: .update)
    change.content = try content()
    try zone.commit([change], expecting: zone.header.sequence)
  }

  private mutating func content() throws -> Content {
    try noise.bytes(size).withUnsafeBytes { try zone.ingest($0) }
  }
}

/// An owner who removes garbage, with a clock that advances by weeks.
struct Weeks {
  private static let week: Int64 = 8 * 86_400
  let container: Container
  private(set) var clock: Int64

  init(_ container: Container, from clock: Int) {
    self.container = container
    self.clock = Int64(clock)
  }

  /// Removes garbage that many times, each time a week later.
  @discardableResult
  mutating func collect(_ times: Int) throws -> [GarbageReport] {
    try (0..<times).map { _ in
      clock += Self.week
      return try container.upkeep.collectGarbage(at: clock)
    }
  }
}
