import CairnContainer
import CairnReplica
import CairnZone

/// The records that have or had a path, the present one first. Many programs save a file by moving
/// the old one away and putting a new one in its place. Together these records are the history that
/// people expect of the path.
struct PathHolders {
  /// A record, and the part of its history that belongs to the path.
  struct Holder {
    /// The record.
    var id: RecordID
    /// The last moment that belongs to the path. The rest is the history of another path.
    var through: UInt64
  }

  /// The maximum number of holders.
  private static let most = 1_000

  /// The holders.
  let all: [Holder]

  /// Finds the holders.
  /// - Parameters:
  ///   - last: The record that has the path, or had it last.
  ///   - view: The zone.
  /// - Throws: `IndexFailure` if the index cannot be read.
  init(_ last: PastPath.Found, in view: PastView) throws {
    var all = [Holder(id: last.version.record.id, through: .max)]
    var seen: Set<RecordID> = [last.version.record.id]
    var next = try last.place.flatMap { place in
      try Self.arrival(of: last.version.record.id, at: place, before: .max, in: view)
    }
    while let place = last.place, let arrival = next, all.count < Self.most {
      guard let former = try view.lastVersion(thatLeft: place, by: arrival),
        let left = former.end?.stamp.sequence
      else { break }
      let id = former.record.id
      if former.record.type != .directory, seen.insert(id).inserted {
        // If the next file came in the same entry, that it came says enough.
        all.append(Holder(id: id, through: left == arrival ? left - 1 : left))
      }
      next = try Self.arrival(of: id, at: place, before: left, in: view)
    }
    self.all = all
  }

  /// Returns the moment when a record came to a place, for its last stay there that began before
  /// `moment`; nil if there is none.
  private static func arrival(
    of id: RecordID, at place: Place, before moment: UInt64, in view: PastView
  ) throws -> UInt64? {
    var (arrival, before): (UInt64?, UInt64) = (nil, moment)
    while true {
      let versions = try view.versions(of: id, before: before, limit: 256)
      for version in versions {
        let goesOn = arrival == nil || version.end?.stamp.sequence == arrival
        if version.record.place == place, goesOn {
          arrival = version.began
        } else if arrival != nil {
          return arrival
        }
      }
      guard let last = versions.last, versions.count == 256 else { return arrival }
      before = last.began
    }
  }
}
