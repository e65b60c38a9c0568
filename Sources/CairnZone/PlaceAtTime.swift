/// Finds the place of a log at which it was at a time of day. The times of entries are what their
/// authors' clocks said, and a clock may be wrong by years: so the place is the one with which the
/// fewest entries disagree, those behind it that claim to be earlier and those before it that claim
/// to be later. It is for what people ask, and decides nothing in a zone.
public struct PlaceAtTime: Hashable, Sendable {
  /// The time, in nanoseconds since 1970.
  public let time: Int64
  /// The last entry that had come by then; 0: none.
  public private(set) var place: UInt64 = 0
  /// How many more entries up to here are earlier than later.
  private var lead = 0
  private var most = 0

  /// Begins before the first entry.
  public init(_ time: Int64) { self.time = time }

  /// Looks at the next entry, in the order of the log. Of places that are equally good the first
  /// one counts: a clock that was never set is commoner than one of the future.
  public mutating func take(_ sequence: UInt64, time claimed: Int64) {
    lead += claimed <= time ? 1 : -1
    guard lead > most else { return }
    most = lead
    place = sequence
  }
}
