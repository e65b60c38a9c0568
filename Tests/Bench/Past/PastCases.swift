import BenchFigures
import CairnContainer
import CairnReplica
import CairnStore
import CairnZone
import Glibc

/// The costs of a folder with a long history against those of a folder without one. A generator
/// that uses the library writes thousands of saves. Then their garbage is removed, and a reader
/// joins.
enum PastCases {
  /// The number of past versions that the owner keeps.
  private static let kept: UInt32 = 10

  // MARK: One file

  /// One file that is saved again and again, once with ten kept versions and once with all.
  static func saves(_ bench: Bench) throws {
    let policies = [("saves", HistoryPolicy(versions: kept)), ("saves, all kept", nil)]
    for (name, policy) in policies {
      try bench.place { try saves(bench, name, policy, PartWorld(in: $0)) }
    }
  }

  private static func saves(
    _ bench: Bench, _ name: String, _ policy: HistoryPolicy?, _ world: PartWorld
  ) throws {
    let container = try world.open()
    let busy = try container.privateDatabase.createZone(named: "Busy")
    try container.ownership.setHistory(policy, of: busy)
    var writer = PastWriter(busy)
    try writer.make(1)
    for _ in 1..<max(bench.options.saves, 2) { try writer.save(1) }
    bench.add(Figure("\(name): objects before gc", "", Double(try world.objects().count)))
    bench.add(Figure("\(name): container before gc", "MiB", try world.size()))
    try measureHistory(bench, name, busy, 1, bench.options.saves)
    try collect(bench, name, container, busy)
    bench.add(Figure("\(name): objects after gc", "", Double(try world.objects().count)))
    // The policy decides which contents are kept. The rest is the cost of the log.
    let contents = Double(policy == nil ? bench.options.saves : Int(kept) + 1) * Double(writer.size)
    bench.add(
      Figure(
        "\(name): container after gc (bare: contents)", "MiB", try world.size(),
        bare: contents / 1_048_576))
    if policy != nil { bench.add(Figure("  and the bar", "MiB", try world.size(), bar: 1)) }

    let fresh = try container.privateDatabase.createZone(named: "Fresh")
    writer = PastWriter(fresh)
    try writer.make(1)
    try measureJoin(bench, "\(name): join after gc (bare: fresh)", world, busy, fresh, bar: 1.2)
  }

  // MARK: Many files

  /// A hundred thousand files. A thousand of them are saved a thousand times each.
  static func past(_ bench: Bench) throws {
    try bench.place { place in
      let world = try PartWorld(in: place)
      let container = try world.open()
      let old = try container.privateDatabase.createZone(named: "Old")
      try container.ownership.setHistory(HistoryPolicy(versions: kept), of: old)
      let files = min(bench.options.files, 100_000)
      let name = "\(files) files, \(bench.options.entries) entries"
      var writer = PastWriter(old)
      var weeks = Weeks(container, from: time(nil))
      try writer.make(files)
      let busy = max(files / 100, 1)
      var first: [Double] = []
      let began = processorTime()
      for entry in 0..<bench.options.entries {
        try writer.save(entry % busy + 1)
        // The store is in memory, so unneeded objects are removed before the memory is full.
        guard (entry + 1).isMultiple(of: max(bench.options.entries / 10, 1)) else { continue }
        if first.isEmpty { first = try measureHistory(old, 1, min(1_000, entry / busy)) }
        try weeks.collect(2)
      }
      bench.add(Figure("\(name): written, processor", "s", processorTime() - began))
      let last = try measureHistory(old, 1, Int(kept) + 1)
      bench.add(
        Figure("\(name): history (bare: a tenth)", "ms", last, bare: first, bar: 50))
      let fresh = try container.privateDatabase.createZone(named: "Fresh")
      writer = PastWriter(fresh)
      try writer.make(files)
      try measureJoin(bench, "\(name): join (bare: fresh)", world, old, fresh, bar: 1.3)
    }
  }

  /// The history of one file and of the whole folder, with that many entries that are all kept.
  static func history(_ bench: Bench) throws {
    try bench.place { place in
      let world = try PartWorld(in: place)
      let zone = try world.zone()
      let files = min(bench.options.files, 1_000)
      var writer = PastWriter(zone, size: 16)
      try writer.make(files)
      for part in [10, 3, 1] {
        let entries = bench.options.entries / part
        while zone.header.sequence < UInt64(entries) {
          try writer.save(Int(zone.header.sequence) % files + 1)
        }
        let times = try measureHistory(zone, 1, min(1_000, entries / files / 2))
        bench.add(Figure("\(entries) entries: history of a file", "ms", times, bare: nil, bar: 50))
        let all = try (0..<PartCases.rounds).map { _ in
          let began = now()
          _ = try zone.read {
            try $0.events(before: EventPlace(.max), deletionsOnly: false, limit: 1_000)
          }
          return (now() - began) * 1_000
        }
        let name = "\(entries) entries: history of the folder"
        bench.add(Figure(name, "ms", all, bare: nil, bar: 50))
      }
    }
  }

  // MARK: Parts

  /// Measures the time of the first screen of a file's history.
  private static func measureHistory(
    _ zone: Zone, _ number: Int, _ least: Int
  ) throws -> [Double] {
    try (0..<PartCases.rounds).map { _ in
      let began = now()
      let found = try zone.read { try $0.versions(of: RecordID(number: number), limit: 1_000) }
      guard found.count >= least else {
        throw Child.Trouble(description: "\(found.count) versions, not \(least)")
      }
      return (now() - began) * 1_000
    }
  }

  private static func measureHistory(
    _ bench: Bench, _ name: String, _ zone: Zone, _ number: Int, _ saves: Int
  ) throws {
    let times = try measureHistory(zone, number, min(saves, 1_000))
    bench.add(Figure("\(name): history of the file", "ms", times, bare: nil, bar: 50))
  }

  /// Does the work of the owner's daemon in the following weeks.
  private static func collect(
    _ bench: Bench, _ name: String, _ container: Container, _ zone: Zone
  ) throws {
    var weeks = Weeks(container, from: time(nil))
    let (began, before) = (now(), processorTime())
    try weeks.collect(4)
    bench.add(Figure("\(name): gc, four times in a month", "s", now() - began))
    bench.add(Figure("  processor time", "s", processorTime() - before))
    guard try zone.read({ try $0.versions(of: RecordID(number: 1), limit: 1) }).count == 1 else {
      throw Child.Trouble(description: "gc took what is there")
    }
  }

  /// Measures the milliseconds of a new reader, in both zones in turn.
  private static func measureJoin(
    _ bench: Bench, _ name: String, _ world: PartWorld, _ zone: Zone, _ fresh: Zone, bar: Double
  ) throws {
    var (joined, bare) = ([Double](), [Double]())
    var (spent, bareSpent) = ([Double](), [Double]())
    for _ in 0..<PartCases.rounds {
      for subject in [zone, fresh] {
        let joining = try world.anew(subject)
        let (began, before) = (now(), processorTime())
        try join(joining)
        let (took, used) = ((now() - began) * 1_000, (processorTime() - before) * 1_000)
        if subject === zone {
          joined.append(took)
          spent.append(used)
        } else {
          bare.append(took)
          bareSpent.append(used)
        }
      }
    }
    bench.add(Figure(name, "ms", joined, bare: bare, bar: bar))
    bench.add(Figure("  processor time", "ms", spent, bare: bareSpent, bar: bar))
  }

  private static func join(_ zone: Zone) throws {
    _ = try zone.pull()
    guard let file = try zone.read({ try $0.record(RecordID(number: 1)) }),
      let content = file.content
    else { throw Child.Trouble(description: "nothing was there to join") }
    try zone.readContent(content) { _ in }
  }
}

extension PartWorld {
  /// Returns the keys of all objects.
  func objects() throws -> [ObjectKey] { try store.list("", after: nil, limit: .max) }

  /// Returns the size of all objects in MiB.
  func size() throws -> Double {
    let bytes = try objects().reduce(0) { try $0 + (store.size(of: $1) ?? 0) }
    return Double(bytes) / 1_048_576
  }
}
