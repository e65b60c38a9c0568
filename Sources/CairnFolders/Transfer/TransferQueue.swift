import CairnZone

/// The waiting and running transfers of all mounts of a daemon: the order of their work, as a value
/// without threads and clocks.
///
/// Small files pass large ones. Each direction has a few places, and the last ones are open to
/// small files only. Within its mount the smallest transfer is next, and a waiting transfer seems
/// smaller with each one that passes it, so that each is next at last. Mounts take turns. A
/// transfer that a person wants first passes all others, and takes a place for small ones.
///
/// The buffers of all running transfers have 64 MiB at most: each direction has its part, and a
/// part of that is open to small files only.
struct TransferQueue {
  /// The size classes of transfers.
  private enum Size: Int, CaseIterable {
    /// Their bytes are in a commit, not in a pack.
    case tiny
    /// One pack at most.
    case pack
    /// Several packs.
    case large

    init(_ bytes: UInt64) {
      self = bytes <= 64 << 10 ? .tiny : bytes <= 8 << 20 ? .pack : .large
    }

    /// The number of running transfers of a direction with which another one of this size begins.
    var limit: Int {
      switch self {
      case .tiny: 4
      case .pack: 3
      case .large: 2
      }
    }
  }

  private struct Waiting {
    var work: TransferWork
    /// The number of transfers of this direction that had begun when it came.
    var came: Int

    /// The number of running transfers of its direction with which it begins.
    var limit: Int { max(Size(work.size).limit, work.isFirst ? Size.pack.limit : 0) }

    /// The size in bytes of the buffers with which it begins.
    var memoryLimit: Int {
      let budget = TransferQueue.budget(work.way)
      let isSmall = Size(work.size) != .large || work.isFirst
      return isSmall ? budget.all : budget.all - budget.small
    }
  }

  /// Transfers of one direction.
  private struct Lane {
    var waiting: [Waiting] = []
    var running = 0
    /// The size in bytes of the buffers of the running transfers.
    var memory = 0
    /// The number of running large transfers.
    var large = 0
    /// The number of transfers that have begun.
    var begun = 0
    /// The number of transfers that had begun at the last turn of each mount.
    var turns: [Int: Int] = [:]
  }

  /// The number of passing transfers that halve the apparent size of a waiting one.
  private static let patience = 16

  /// The most bytes of buffers in a direction, and the part that is open to small files only.
  private static func budget(_ way: TransferWork.Way) -> (all: Int, small: Int) {
    switch way {
    case .upload: (44 << 20, 18 << 20)
    case .download: (20 << 20, 4 << 20)
    }
  }

  private var lanes: [TransferWork.Way: Lane] = [:]

  /// The size in bytes of the buffers of running transfers.
  var memory: Int { lanes.values.reduce(0) { $0 + $1.memory } }

  /// A Boolean value that indicates whether nothing waits or runs.
  var isEmpty: Bool { lanes.values.allSatisfy { $0.waiting.isEmpty && $0.running == 0 } }

  /// Adds a transfer.
  mutating func add(_ work: TransferWork) {
    var lane = lanes[work.way] ?? Lane()
    lane.waiting.append(Waiting(work: work, came: lane.begun))
    lanes[work.way] = lane
  }

  /// Moves the waiting transfers of records to the front.
  mutating func hurry(_ records: Set<RecordID>, of mount: Int) {
    for (way, lane) in lanes {
      for number in lane.waiting.indices {
        let work = lane.waiting[number].work
        guard work.mount == mount, !work.records.isDisjoint(with: records) else { continue }
        lanes[way]?.waiting[number].work.isFirst = true
      }
    }
  }

  /// Takes the next transfer to begin; nil if all wait for a place.
  mutating func take() -> TransferWork? {
    for way in [TransferWork.Way.upload, .download] {
      guard var lane = lanes[way], let number = Self.next(in: lane) else { continue }
      let work = lane.waiting.remove(at: number).work
      lane.running += 1
      lane.memory += work.memory
      lane.large += Size(work.size) == .large ? 1 : 0
      lane.begun += 1
      lane.turns[work.mount] = lane.begun
      lanes[way] = lane
      return work
    }
    return nil
  }

  /// Notes the end of a transfer.
  mutating func end(_ work: TransferWork) {
    guard var lane = lanes[work.way] else { return }
    lane.running -= 1
    lane.memory -= work.memory
    lane.large -= Size(work.size) == .large ? 1 : 0
    // Nobody has had a turn when all begins anew.
    lanes[work.way] = lane.running == 0 && lane.waiting.isEmpty ? nil : lane
  }

  private static func next(in lane: Lane) -> Int? {
    let open = lane.waiting.indices.filter { lane.running < lane.waiting[$0].limit }
    func first(_ numbers: [Int]) -> Int? {
      numbers.min { rank(lane.waiting[$0], lane) < rank(lane.waiting[$1], lane) }
    }
    func fits(_ number: Int) -> Bool {
      let waiting = lane.waiting[number]
      return lane.running == 0 || lane.memory + waiting.work.memory <= waiting.memoryLimit
    }
    guard let next = first(open) else { return nil }
    if fits(next) { return next }
    // The small ones that run end soon. If others began, a large one would never have its buffers.
    guard lane.large > 0 || Size(lane.waiting[next].work.size) != .large else { return nil }
    return first(open.filter(fits))
  }

  /// The order of a transfer: a person's wish, the turn of its mount, its apparent size, and its
  /// age.
  private static func rank(_ waiting: Waiting, _ lane: Lane) -> (Int, Int, UInt64, Int) {
    let halvings = min((lane.begun - waiting.came) / patience, 63)
    return (
      waiting.work.isFirst ? 0 : 1, lane.turns[waiting.work.mount] ?? 0,
      waiting.work.size >> UInt64(halvings), waiting.came
    )
  }
}
