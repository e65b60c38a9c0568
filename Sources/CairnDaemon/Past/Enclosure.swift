import CairnCloud
import CairnZone

/// Whether something is or was below a directory, between a place of the log and now. It remembers
/// what it found out about directories, inside of one `Zone.read`.
final class Enclosure {
  private let view: ZoneView
  private let top: RecordID
  /// From where on; nil: ever.
  private let since: UInt64?
  private var known: [RecordID: Bool]

  init(_ top: RecordID, in view: ZoneView, since: UInt64? = nil) {
    (self.view, self.top, self.since) = (view, top, since)
    known = [.root: false]
    known[top] = true
  }

  /// Whether the directory is the one, or is or was below it.
  func holds(_ directory: RecordID) throws -> Bool {
    if let known = known[directory] { return known }
    // Marks it as looked at, so that the walk ends in a circle of a damaged index, too.
    known[directory] = false
    let versions =
      try since.map { try view.versions(of: directory, since: $0) }
      ?? view.versions(of: directory, limit: 1_000)
    let isInside = try Set(versions.compactMap { $0.record.place?.parent }).sorted()
      .contains { try holds($0) }
    known[directory] = isInside
    return isInside
  }

  /// Whether one of these versions is or was below the directory, or is the directory itself.
  func holds(_ versions: [RecordVersion]) throws -> Bool {
    try versions.contains { version in
      try version.record.id == top || version.record.place.map { try holds($0.parent) } ?? false
    }
  }
}
