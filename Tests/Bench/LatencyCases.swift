import BenchFigures
import Glibc

/// The time of one small change from one folder to another, against two processes that watch and
/// copy. Both sides make each file and its name durable at both hops.
enum LatencyCases {
  private static let size = 4_096

  /// A new file of 4 KiB, and an append to it.
  static func drop(_ bench: Bench) throws {
    let count = bench.options.samples
    var found = Times()
    let measured = try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      try world.share(with: [world.bob])
      return try bench.measure(world) {
        found = try samples(count, from: world.ana.folder, to: world.bob.folder)
      }
    }
    let (bare, spent) = try relays(bench) { try samples(count, from: $0, to: $1) }
    bench.add(
      Figure("drop of 4 KiB, median", "ms", found.drops, bare: bare.drops, bar: 1.8))
    bench.add(
      Figure("drop of 4 KiB, 99th", "ms", found.drops, bare: bare.drops, at: 0.99, bar: 2.5)
    )
    bench.add(
      Figure("append of 4 KiB, median", "ms", found.appends, bare: bare.appends, bar: 1.8))
    bench.add(
      Figure(
        "append of 4 KiB, 99th", "ms", found.appends, bare: bare.appends, at: 0.99,
        bar: 2.5))
    let changes = Double(2 * (count + warm))
    bench.add(
      Figure(
        "drop or append of 4 KiB: processor time", "ms", measured.processor * 1_000 / changes,
        bare: spent * 1_000 / changes
      ).costing(measured.cost.shared(by: changes)))
    try PeerCases.besideDrops(bench, found.drops)
  }

  /// 200 files at once.
  static func burst(_ bench: Bench) throws {
    var found: [Double] = []
    let measured = try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      try world.share(with: [world.bob])
      return try bench.measure(world) {
        found = try bursts(from: world.ana.folder, to: world.bob.folder)
      }
    }
    let (bare, spent) = try relays(bench) { try bursts(from: $0, to: $1) }
    bench.add(
      Figure("burst of 200 files of 4 KiB", "ms", found, bare: bare, bar: 1.5)
        .costing(measured.cost.shared(by: Double(rounds)), bare: spent / Double(rounds)))
  }

  /// The first samples find cold caches on both sides, and don't count.
  private static let warm = 3
  /// The number of bursts.
  private static let rounds = 5

  private struct Times {
    var drops: [Double] = []
    var appends: [Double] = []
  }

  private static func samples(_ count: Int, from: String, to: String) throws -> Times {
    let arrival = try Arrival(at: to)
    var noise = Noise(1)
    var found = Times()
    for number in -warm..<count {
      let name = "drop-\(number)"
      let content = noise.bytes(size)
      let dropped = now()
      try write(content, to: "\(from)/\(name)")
      try arrival.wait(for: name, content)
      if number >= 0 { found.drops.append((now() - dropped) * 1_000) }
      let more = noise.bytes(size)
      let appended = now()
      try write(more, to: "\(from)/\(name)", flags: O_APPEND)
      try arrival.wait(for: name, content + more)
      if number >= 0 { found.appends.append((now() - appended) * 1_000) }
    }
    return found
  }

  private static func bursts(from: String, to: String) throws -> [Double] {
    let arrival = try Arrival(at: to)
    var noise = Noise(2)
    return try (0..<rounds).map { round in
      let files = (0..<200).map { ("burst-\(round)-\($0)", noise.bytes(size)) }
      let began = now()
      for (name, content) in files { try write(content, to: "\(from)/\(name)") }
      try arrival.wait(for: Set(files.map(\.0)), size: size)
      return (now() - began) * 1_000
    }
  }

  /// Plays a case between two folders that the two-hop loop joins.
  /// - Returns: the result, and the processor seconds of the loop.
  private static func relays<Result>(
    _ bench: Bench, _ body: (String, String) throws -> Result
  ) throws -> (Result, processor: Double) {
    try bench.place { place in
      let folders = ["from", "between", "to"].map { "\(place)/\($0)" }
      for folder in folders { mkdir(folder, 0o755) }
      let log = "\(place)/log"
      let relays = try zip(folders, folders.dropFirst()).enumerated().map { number, pair in
        try Child([bench.program, "relay", pair.0, pair.1], output: "\(log)-\(number)")
      }
      defer { for relay in relays { relay.kill() } }
      let logs = try Arrival(at: place)
      try logs.wait(for: "the loop") {
        relays.indices.allSatisfy { text(of: "\(log)-\($0)").contains("watching") }
      }
      func processor() -> Double {
        relays.map { ProcessFigures.processor(of: $0.process) }.reduce(0, +)
      }
      try syncFileSystem(place)
      let before = processor()
      return (try body(folders[0], folders[2]), processor() - before)
    }
  }
}

extension Cost {
  /// Returns the cost of one of that many equal changes.
  func shared(by count: Double) -> Cost {
    var cost = self
    cost.processor = processor.map { $0 / count }
    cost.stored = stored.map { $0 / count }
    cost.written = written.map { $0.map { $0 / count } }
    cost.toDisk = toDisk.map { $0 / count }
    cost.calls = calls.map { $0 / count }
    return cost
  }
}
