import BenchFigures
import CairnContainer
import CairnIdentity
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import Synchronization

/// `gc` of a large folder in a container on the disk. A quarter of the packs is dead, half of them
/// are more than half dead, and a quarter is alive. The time of small files that others write
/// meanwhile is measured, too.
enum CollectCases {
  /// The number of files in a pack, and the size of each: 1 MiB.
  private static let (together, size) = (8, 1 << 20)

  static func play(_ bench: Bench) throws {
    try bench.place { place in
      let root = "\(place)/container"
      mkdir(root, 0o755)
      let world = try PartWorld(in: place, store: DirectoryStore(root: root))
      let container = try world.open()
      let zone = try container.privateDatabase.createZone(named: "Large")
      try container.ownership.setHistory(HistoryPolicy(), of: zone)
      let (bob, cleo) = (
        try world.member("bob", of: zone, container), try world.member("cleo", of: zone, container)
      )
      try fill(zone, packs: bench.options.gigabytes * 1_024 / together)
      let drops = Drops(from: bob, to: cleo)
      let usual = try drops.few(bench.options.samples)
      let alive = try kill(zone)
      var weeks = Weeks(container, from: time(nil))
      let before = try packs(world)
      let began = now()
      let start = ProcessFigures(of: getpid())
      let meanwhile = try drops.during {
        // The first run closes the present generation. Each of the next ones repacks as much as one
        // run may.
        try weeks.collect(3 + bench.options.gigabytes)
      }
      let end = ProcessFigures(of: getpid())
      let name = "gc of \(bench.options.gigabytes) GiB"
      let mebibyte = 1_048_576.0
      bench.add(Figure("\(name): all of it", "s", now() - began))
      bench.add(Figure("  processor time", "s", end.processor - start.processor))
      let read = (end.bytesRead - start.bytesRead - drops.transfer.read) / mebibyte
      let written = (end.bytesWritten - start.bytesWritten - drops.transfer.written) / mebibyte
      bench.add(
        Figure(
          "\(name): read and written (bare: alive in due packs, once each)", "MiB",
          read + written, bare: 2 * alive.due, bar: 1.3))
      bench.add(Figure("  read, pages of the index among it", "MiB", read, bare: alive.due))
      bench.add(Figure("  written", "MiB", written, bare: alive.due))
      bench.add(Figure("\(name): peak memory", "MiB", end.peak / mebibyte, bar: 100))
      bench.add(
        Figure("\(name): drops meanwhile (bare: usual)", "ms", meanwhile, bare: usual, bar: 2))
      let after = try packs(world)
      bench.add(
        Figure("\(name): packs (bare: what is alive)", "MiB", after, bare: alive.all, bar: 1.1))
      bench.add(Figure("  packs before", "MiB", before))
    }
  }

  // MARK: The folder

  private static func fill(_ zone: Zone, packs: Int) throws {
    var noise = Noise(7)
    for pack in 0..<packs {
      var changes: [RecordChange] = []
      for file in 1...together {
        let content = try noise.bytes(size).withUnsafeBytes { try zone.ingest($0) }
        changes.append(FoldPart.file(pack * together + file, content))
      }
      try zone.save(changes)
    }
  }

  /// Deletes all files of one pack, five of eight in the next two packs, and none in the fourth.
  /// - Returns: the MiB that are alive in packs that are due, and in all packs.
  private static func kill(_ zone: Zone) throws -> (due: Double, all: Double) {
    let files = try zone.read { try $0.children(of: .root) }.filter { $0 != .root }.sorted()
    var (due, all, changes) = (0, 0, [RecordChange]())
    for (index, id) in files.enumerated() {
      let (pack, file) = (index / together % 4, index % together)
      if pack == 0 || (pack < 3 && file < 5) {
        changes.append(RecordChange(id: id, act: .delete))
      } else {
        all += 1
        due += pack < 3 ? 1 : 0
      }
    }
    // One entry with all changes is far smaller than the largest possible entry.
    try zone.save(changes)
    return (Double(due), Double(all))
  }

  private static func packs(_ world: PartWorld) throws -> Double {
    let keys = try world.store.list("", after: nil, limit: .max)
    return try keys.filter { $0.description.contains("/packs/") }
      .reduce(0) { try $0 + Double(world.store.size(of: $1) ?? 0) } / 1_048_576
  }
}

/// One person drops small files, and another one waits for them to arrive.
private final class Drops: Sendable {
  private struct Findings {
    /// Milliseconds of each drop.
    var times: [Double] = []
    var trouble: (any Error)?
    var isOver = false
    /// The bytes of the thread that drops the files.
    var transfer = (read: 0.0, written: 0.0)
  }

  private let (from, to): (Zone, Zone)
  private let found = Mutex(Findings())

  init(from: Zone, to: Zone) { (self.from, self.to) = (from, to) }

  /// The bytes read and written meanwhile for the drops. They are no cost of `gc`.
  var transfer: (read: Double, written: Double) { found.withLock { $0.transfer } }

  /// Returns the milliseconds of that many drops.
  func few(_ count: Int) throws -> [Double] { try (0..<count).map { try drop($0) } }

  /// Returns the milliseconds of the drops that are made while the body runs.
  func during(_ body: () throws -> Void) throws -> [Double] {
    let thread = PosixThread.start("bench-drops") { [self] in
      var number = 1_000_000
      while !found.withLock({ $0.isOver }) {
        number += 1
        do {
          let time = try drop(number)
          found.withLock { $0.times.append(time) }
        } catch {
          return found.withLock { $0.trouble = error }
        }
        _ = poll(nil, 0, 20)
      }
      let all = ProcessFigures.ofThread()
      found.withLock { $0.transfer = (all.bytesRead, all.bytesWritten) }
    }
    guard let thread else { throw Child.Trouble(description: "no thread is left") }
    let outcome = Result { try body() }
    found.withLock { $0.isOver = true }
    thread.join()
    try outcome.get()
    return try found.withLock { found in
      if let trouble = found.trouble { throw trouble }
      return found.times
    }
  }

  private func drop(_ number: Int) throws -> Double {
    let bytes = withUnsafeBytes(of: number) { Array($0) } + [UInt8](repeating: 1, count: 4_088)
    let began = now()
    let id = try save(bytes, number)
    _ = try to.pull()
    guard try to.read({ try $0.record(id) }) != nil else {
      throw Child.Trouble(description: "a drop didn't come")
    }
    return (now() - began) * 1_000
  }

  /// Saves a file. If the generation was closed between the upload and the commit, the content is
  /// stored again, as engines do.
  private func save(_ bytes: [UInt8], _ number: Int) throws -> RecordID {
    var closed = 0
    while true {
      let content = try bytes.withUnsafeBytes { try from.ingest($0) }
      let change = FoldPart.file(10_000_000 + number, content)
      do {
        _ = try from.save([change])
        return change.id
      } catch let error as CloudError {
        closed += 1
        let isAnew = error.code == .referenceViolation || error.isWorthRetrying
        guard isAnew, closed < 5 else { throw error }
      }
    }
  }
}
