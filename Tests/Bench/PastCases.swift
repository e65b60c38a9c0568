import CairnCloud
import CairnStore
import CairnZone
import Glibc

/// What a folder costs whose past is long: saves by the thousands, written by a generator on the
/// library, what is thrown away of them, and joining after that, against a folder that never had a
/// past.
enum PastCases {
  /// How many past versions the owner keeps.
  private static let kept: UInt32 = 10
  private static let day: Int64 = 86_400

  static func past(_ bench: Bench) throws {
    try bench.place { place in
      let world = try PartWorld(in: place)
      let container = try world.open()
      let busy = try container.privateDatabase.createZone(named: "Busy")
      let saves = bench.saves
      let record = try write(saves, into: busy)
      bench.add(Figure("saves: objects before gc", "", Double(try world.objects().count)))
      bench.add(Figure("saves: container before gc", "MiB", try world.size()))
      try measureHistory(bench, busy, record, saves)
      try collect(bench, container, busy)
      bench.add(Figure("saves: objects after gc", "", Double(try world.objects().count)))
      bench.add(Figure("saves: container after gc", "MiB", try world.size(), bar: 1))

      let fresh = try container.privateDatabase.createZone(named: "Fresh")
      _ = try write(1, into: fresh)
      let joined = try measureJoin(world, busy)
      let bare = try measureJoin(world, fresh)
      bench.add(
        Figure(
          "saves: join after gc (bare: a fresh copy)", "ms", joined, bare: bare, bar: 1.2))
    }
  }

  /// Saves a file of a KiB so many times, each with other bytes and as an entry of its own.
  private static func write(_ saves: Int, into zone: Zone) throws -> RecordID {
    var bytes = [UInt8](repeating: 0, count: 1_024)
    let make = FoldPart.file(1)
    for number in 1...saves {
      for at in stride(from: 0, to: bytes.count, by: 8) {
        withUnsafeBytes(of: UInt64(number &* 0x9e37 &+ at).byteSwapped) { word in
          for (offset, byte) in word.enumerated() { bytes[at + offset] = byte }
        }
      }
      var change = number == 1 ? make : RecordChange(id: make.id, act: .update)
      change.content = try bytes.withUnsafeBytes { try zone.ingest($0) }
      _ = try zone.commit([change], expecting: zone.header.sequence)
    }
    return make.id
  }

  /// How long the first screen of a file's history takes.
  private static func measureHistory(
    _ bench: Bench, _ zone: Zone, _ record: RecordID, _ saves: Int
  ) throws {
    let times = try (0..<PartCases.rounds).map { _ in
      let began = now()
      let found = try zone.read { try $0.versions(of: record, limit: 1_000) }
      guard found.count == min(saves, 1_000) else {
        throw Child.Trouble(description: "\(found.count) versions of \(saves)")
      }
      return (now() - began) * 1_000
    }
    bench.add(Figure("saves: history of the file", "ms", times, bare: nil, bar: 50))
  }

  /// Has ten versions be kept, and does what the owner's daemon does in the weeks after.
  private static func collect(_ bench: Bench, _ container: Container, _ zone: Zone) throws {
    try container.setHistory(HistoryPolicy(versions: kept), of: zone)
    var clock = time(nil)
    let began = now()
    for _ in 0..<4 {
      _ = try container.collectGarbage(at: Int64(clock))
      clock += Int(8 * day)
    }
    bench.add(Figure("saves: gc, four times in a month", "s", now() - began))
    guard try zone.read({ try $0.versions(of: RecordID(number: 1), limit: 1) }).count == 1 else {
      throw Child.Trouble(description: "gc took what is there")
    }
  }

  /// How many milliseconds somebody takes who has read nothing.
  private static func measureJoin(_ world: PartWorld, _ zone: Zone) throws -> [Double] {
    try (0..<PartCases.rounds).map { _ in
      let joining = try world.anew(zone)
      let began = now()
      _ = try joining.pull()
      let files = try joining.read { try $0.children(of: .root) }
      guard let file = try files.first.flatMap({ id in try joining.read { try $0.record(id) } }),
        let content = file.content
      else { throw Child.Trouble(description: "nothing was there to join") }
      try joining.readContent(content) { _ in }
      return (now() - began) * 1_000
    }
  }
}

extension PartWorld {
  /// The keys of all objects.
  func objects() throws -> [ObjectKey] { try store.list("", after: nil, limit: .max) }

  /// The bytes of all objects, in MiB.
  func size() throws -> Double {
    let bytes = try objects().reduce(0) { try $0 + (store.size(of: $1) ?? 0) }
    return Double(bytes) / 1_048_576
  }
}
