/// The position of a log at a time of day. The times of entries come from their authors' clocks,
/// and a clock may be wrong by years. So the result is the position with which the fewest entries
/// disagree: later entries with an earlier time, and earlier entries with a later time. It answers
/// people's questions, and decides nothing in a zone.
public struct PlaceAtTime: Hashable, Sendable {
  /// The time, in nanoseconds since 1970.
  public let time: Int64
  /// The last entry by then; 0: none.
  public private(set) var place: UInt64 = 0
  /// The number of entries so far that are earlier, minus those that are later.
  private var lead = 0
  private var most = 0

  /// Creates a search before the first entry.
  public init(_ time: Int64) { self.time = time }

  /// Considers the next entry, in the order of the log. Of equally good positions, the first one
  /// counts: an unset clock is more common than one in the future.
  public mutating func take(_ sequence: UInt64, time claimed: Int64) {
    lead += claimed <= time ? 1 : -1
    guard lead > most else { return }
    most = lead
    place = sequence
  }
}
