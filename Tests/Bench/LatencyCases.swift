import Glibc

/// The time of one small change from one folder to another, against two processes that watch and
/// copy. The goal is a median within twice theirs, and a 99th percentile within three times theirs.
enum LatencyCases {
  private static let size = 4_096

  /// A new file of 4 KiB, and an append to it.
  static func drop(_ bench: Bench) throws {
    let cairn = try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      try world.share(with: [world.bob])
      return try samples(bench.samples, from: world.ana.folder, to: world.bob.folder)
    }
    let bare = try relays(bench) { try samples(bench.samples, from: $0, to: $1) }
    for (what, at) in [("drop of 4 KiB", \Samples.drops), ("append of 4 KiB", \Samples.appends)] {
      bench.add(
        Figure("\(what), median", "ms", cairn[keyPath: at], bare: bare[keyPath: at], bar: 2))
      bench.add(
        Figure(
          "\(what), 95th of 100", "ms", cairn[keyPath: at], bare: bare[keyPath: at], at: 0.95))
      bench.add(
        Figure(
          "\(what), 99th of 100", "ms", cairn[keyPath: at], bare: bare[keyPath: at], at: 0.99,
          bar: 3))
    }
  }

  /// 200 files at once.
  static func burst(_ bench: Bench) throws {
    let cairn = try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      try world.share(with: [world.bob])
      return try bursts(from: world.ana.folder, to: world.bob.folder)
    }
    let bare = try relays(bench) { try bursts(from: $0, to: $1) }
    bench.add(Figure("burst of 200 files of 4 KiB", "ms", cairn, bare: bare, bar: 1.5))
  }

  private struct Samples {
    var drops: [Double] = []
    var appends: [Double] = []
  }

  private static func samples(_ count: Int, from: String, to: String) throws -> Samples {
    let arrival = try Arrival(at: to)
    var noise = Noise(1)
    var found = Samples()
    // The first samples find cold caches on both sides.
    for number in -3..<count {
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
    return try (0..<5).map { round in
      let files = (0..<200).map { ("burst-\(round)-\($0)", noise.bytes(size)) }
      let began = now()
      for (name, content) in files { try write(content, to: "\(from)/\(name)") }
      try arrival.wait(for: Set(files.map(\.0)), size: size)
      return (now() - began) * 1_000
    }
  }

  /// Plays a case between two folders that the two-hop loop joins.
  private static func relays<Result>(
    _ bench: Bench, _ body: (String, String) throws -> Result
  ) throws -> Result {
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
      return try body(folders[0], folders[2])
    }
  }
}
