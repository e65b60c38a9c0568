/// The way up from a record to the root, by the places that somebody knows. Stored places may lead
/// nowhere or in a circle: an index may be damaged, and a stranger's commits say what they like. So
/// no walk goes on for ever.
public struct Ascent: Hashable, Sendable {
  /// The places on the way: the record's own first, that below the root last.
  public private(set) var places: [Place] = []
  /// Whether the root was reached.
  public private(set) var isWhole = false

  /// More directories than any path has: whoever needs more goes in a circle.
  public static let most = 100_000

  /// Walks up.
  /// - Parameters:
  ///   - id: where the way begins; the root's has no places.
  ///   - place: where a record stands; nil if that isn't known.
  /// - Throws: only what `place` throws.
  public init(from id: RecordID, _ place: (RecordID) throws -> Place?) rethrows {
    var next = id
    while next != .root {
      guard places.count < Self.most, let found = try place(next) else { return }
      places.append(found)
      next = found.parent
    }
    isWhole = true
  }

  /// The names from the topmost known one to the record's own.
  public var names: [FileName] { places.reversed().map(\.name) }

  /// The directories on the way, from the record's own upwards; the root last if it was reached.
  public var directories: [RecordID] { places.map(\.parent) }
}
