import CairnContainer
import CairnZone

/// Finds whether a record is or was below one of some directories, between a place of the log and
/// now. It remembers its results for directories, inside of one `Zone.read`.
final class Enclosure {
  private let view: PastView
  private let tops: Set<RecordID>
  /// From where on; nil: ever.
  private let since: UInt64?
  private var known: [RecordID: Bool]

  init(_ tops: Set<RecordID>, in view: PastView, since: UInt64? = nil) {
    (self.view, self.tops, self.since) = (view, tops, since)
    known = [.root: false]
    for top in tops { known[top] = true }
  }

  /// A Boolean value that indicates whether the whole zone is inside.
  var isWhole: Bool { tops.contains(.root) }

  /// Returns whether the directory is one of them, or is or was below one.
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

  /// Returns whether one of these versions is or was below them, or is one of them itself.
  func holds(_ versions: [RecordVersion]) throws -> Bool {
    if isWhole { return true }
    return try versions.contains { version in
      try tops.contains(version.record.id)
        || version.record.place.map { try holds($0.parent) } ?? false
    }
  }
}
