import CairnControl
import CairnPlan
import CairnReplica
import CairnZone

/// Looks for devices that change unusually much in the new entries of a zone. Bytes that a file had
/// before don't count: restoring them does no harm.
struct BurstLook {
  private let zone: Zone
  private let path: Control.Path
  private var watch = BurstWatch()
  private var seen: EventPlace
  private var noticed: [(burst: Control.Burst, at: Int64)] = []
  /// A Boolean value that indicates whether all older entries were read: later ones happen now.
  private var isLive = false

  private static let portion = 512
  /// The time during which a burst is reported, in nanoseconds.
  private static let day: Int64 = 86_400_000_000_000

  init(_ mount: Mount) {
    zone = mount.zone
    path = Control.Path(mount.path)
    seen = EventPlace(zone.header.sequence)
  }

  /// Returns the bursts of the last day.
  func standing(at now: Int64) -> [Control.Burst] {
    noticed.filter { now - $0.at < Self.day }.map(\.burst)
  }

  /// Reads the new entries.
  /// - Parameters:
  ///   - now: The time of a monotonic clock.
  ///   - owner: The owner, which has the people's names.
  /// - Returns: The bursts that are unusual now and were not before.
  /// - Throws: `IndexFailure` if the index is unreadable.
  mutating func look(now: Int64, _ owner: Mount.Owner) throws -> [Control.Burst] {
    let head = zone.header.sequence
    // An index that is made again begins at its beginning.
    if head < seen.sequence { seen = EventPlace(head) }
    defer { isLive = isLive || zone.isReadThrough }
    guard head > seen.sequence else { return [] }
    var isMore = true
    while isMore {
      isMore = try zone.read { try take($0, now) }
    }
    seen = EventPlace(head)
    guard watch.isDoubtful else { return [] }
    let all = try zone.read { try $0.summary().files }
    let news = watch.news(files: all).map { burst -> Control.Burst in
      let (person, device) = owner.told(burst.author)
      return Control.Burst(
        path: path, author: person, device: device, id: burst.author.device.description,
        changed: burst.changed, deleted: burst.deleted, all: all + burst.deleted,
        before: burst.before, time: .now())
    }
    noticed = noticed.filter { now - $0.at < Self.day } + news.map { ($0, now) }
    return news
  }

  private mutating func take(_ view: ZoneView, _ now: Int64) throws -> Bool {
    let ended = try view.endedFiles(after: seen, limit: Self.portion)
    for version in ended {
      guard let end = version.end else { continue }
      let (id, place) = (version.record.id, end.stamp.sequence)
      seen = EventPlace(place, id)
      // A new device, or one that lost its index, reads years at once.
      guard isLive || Control.Time.now().nanoseconds - Self.day < end.stamp.time else { continue }
      let isDeleted = end.ending == .deleted
      if !isDeleted {
        let after = try view.version(of: id, at: place)?.record.content
        guard let after, after != version.record.content,
          try !view.hadContent(after.id, record: id, before: version.began)
        else { continue }
      }
      watch.take(id, isDeleted: isDeleted, by: end.stamp.author, at: place, now: now)
    }
    return ended.count == Self.portion
  }
}
