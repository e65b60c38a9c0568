/// The way up from a record to the root, by known places. Stored places may lead nowhere or in a
/// circle, because an index may be damaged and a stranger's commits can contain anything. So every
/// walk is bounded.
public struct Ascent: Hashable, Sendable {
  /// The places on the way: the record's own first, the one below the root last.
  public private(set) var places: [Place] = []
  /// A Boolean value that indicates whether the root was reached.
  public private(set) var isWhole = false

  /// The limit of directories, above any real path: a longer way is a circle.
  public static let most = 100_000

  /// Walks up.
  /// - Parameters:
  ///   - id: The start of the way; the root has no places.
  ///   - place: Returns the place of a record; nil if it is unknown.
  /// - Throws: only errors of `place`.
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

  /// The directories on the way, from the record's own upwards, with the root last if it was
  /// reached.
  public var directories: [RecordID] { places.map(\.parent) }
}
