import BenchFigures
import Glibc

/// Whole trees, against `cp -a` into a folder and `cp -a` out of it. Both sides read the same tree,
/// which is in memory, and both end with durable data.
enum TreeCases {
  /// A source tree: first mirror, a third person, a restart, memory, rest.
  static func tree(_ bench: Bench) throws {
    let source = try bench.tree()
    try bench.world { world in
      try Child.run("cp", "-a", source, world.ana.folder)
      // The copies stay until the end, because the case after a large deletion would be slow.
      try bench.place { place in
        let bare = try copies(at: place, of: world.ana.folder)
        let measured = try mirror(
          bench, world, "source tree, first mirror", bare, bar: 1.3, processor: 2.2)
        for person in [world.ana, world.bob] {
          let peak = try person.daemon().peak / 1_048_576
          bench.add(Figure("source tree, peak memory of \(person.handle)", "MiB", peak, bar: 150))
        }
        try PeerCases.beside(bench, "source tree, first mirror", world.ana.folder, measured)
        try third(bench, world, bare)
        try restart(bench, world)
        if bench.run == 0 { try rest(bench, [world.ana, world.bob]) }
      }
    }
  }

  /// Twenty thousand files of 1 KiB.
  static func small(_ bench: Bench) throws {
    let count = bench.options.small
    try bench.world { world in
      try make(count, size: 1_024, in: world.ana.folder)
      try bench.place { place in
        let bare = try copies(at: place, of: world.ana.folder)
        let name = "\(count) files of 1 KiB, first mirror"
        let measured = try mirror(bench, world, name, bare, bar: 1.3, processor: 2)
        try PeerCases.beside(bench, name, world.ana.folder, measured)
      }
    }
  }

  /// A directory of ten thousand files is renamed, and then deleted.
  static func rename(_ bench: Bench) throws {
    try bench.world { world in
      let (old, new) = ("\(world.ana.folder)/old", "\(world.ana.folder)/new")
      mkdir(world.ana.folder, 0o755)
      mkdir(old, 0o755)
      for number in 0..<10_000 { try write(Array("\(number)".utf8), to: "\(old)/file-\(number)") }
      try world.share(with: [world.bob])
      try world.settle()
      let (stored, read) = (world.stored(), try world.ana.daemon().bytesRead)
      let arrival = try Arrival(at: world.bob.folder)
      let began = now()
      Glibc.rename(old, new)
      try arrival.wait(for: "the directory") {
        access("\(world.bob.folder)/new/file-9999", F_OK) == 0
      }
      bench.add(
        Figure("rename of a directory of 10,000", "ms", (now() - began) * 1_000, bar: 100))
      try world.settle()
      bench.add(Figure("  bytes stored by it", "B", world.stored() - stored, bar: 2_048))
      bench.add(
        Figure(
          "  bytes read by the daemon", "KiB", (try world.ana.daemon().bytesRead - read) / 1_024))
      let removed = try bench.measure(world) {
        try Child.run("rm", "-rf", new)
        // Deleting more than half of a folder at once needs a confirmation. `wait` reports that by
        // its status.
        while (try? world.ana.cairn("held", "confirm", world.ana.folder)) == nil {
          _ = try? world.ana.cairn("wait", "--timeout", "600")
        }
        try world.settle()
      }
      bench.add(
        Figure("removal of a directory of 10,000", "s", removed.seconds).costing(removed.cost))
    }
  }

  // MARK: Parts

  /// The costs of `cp -a` into a folder and of `cp -a` out of it, each with durable data at its
  /// end.
  struct Copies {
    var into: Child.Cost
    var out: Child.Cost

    var both: Child.Cost { into + out }
  }

  /// Copies a tree twice. Nothing else is waiting for the disk when it begins.
  static func copies(at place: String, of source: String) throws -> Copies {
    try syncFileSystem(place)
    return Copies(
      into: try durable(at: place, "cp", "-a", source, "\(place)/in"),
      out: try durable(at: place, "cp", "-a", "\(place)/in", "\(place)/out"))
  }

  /// Runs a program, and then makes durable what it did to the file system of a folder. Both are in
  /// the time.
  static func durable(at place: String, _ words: String...) throws -> Child.Cost {
    let began = now()
    var cost = try Child(words).end(words.joined(separator: " "))
    try syncFileSystem(place)
    cost.seconds = now() - began
    return cost
  }

  /// Makes that many files of random bytes, 200 in a directory.
  static func make(_ count: Int, size: Int, in folder: String) throws {
    mkdir(folder, 0o755)
    var noise = Noise(3)
    for number in 0..<count {
      let directory = "\(folder)/\(number / 200)"
      if number % 200 == 0 { mkdir(directory, 0o755) }
      try write(noise.bytes(size), to: "\(directory)/file-\(number)")
    }
  }

  /// Measures from the start of the share until the folders are equal.
  private static func mirror(
    _ bench: Bench, _ world: World, _ name: String, _ bare: Copies, bar: Double, processor: Double
  ) throws -> Measured {
    let measured = try bench.measure(world) {
      try world.share(with: [world.bob])
      try world.settle()
    }
    try world.checkSame(world.ana.folder, world.bob.folder)
    let both = bare.both
    bench.add(
      Figure(name, "s", measured.seconds, bare: both.seconds, bar: bar)
        .costing(measured.cost, bare: both.processor))
    bench.add(
      Figure(
        "  processor time", "s", measured.processor, bare: both.processor, bar: processor))
    return measured
  }

  private static func third(_ bench: Bench, _ world: World, _ bare: Copies) throws {
    let carol = try world.another("carol")
    let link = try world.ana.cairn("share", "invite", world.ana.folder, "carol")
    let measured = try bench.measure(world, [world.ana, world.bob, carol]) {
      try carol.cairn("share", "accept", link, "--at", carol.folder, "--wait")
    }
    bench.add(
      Figure("source tree, joined by a third", "s", measured.seconds, bare: bare.out.seconds)
        .costing(measured.cost, bare: bare.out.processor))
    try world.checkSame(world.ana.folder, carol.folder)
    try carol.cairn("stop")
  }

  private static func restart(_ bench: Bench, _ world: World) throws {
    try world.ana.cairn("stop")
    try syncFileSystem(world.path)
    let find = try Child.run("find", world.ana.folder, "-newermt", "@0", "-size", "+0")
    let began = now()
    try world.ana.cairn("start")
    let ready = now() - began
    try world.ana.cairn("wait", "--timeout", "600")
    let measured = try bench.measureNew([world.ana], since: began)
    bench.add(
      Figure(
        "restart with the tree, settled", "s", measured.seconds, bare: find.seconds, bar: 1.2
      ).costing(measured.cost, bare: find.processor))
    bench.add(Figure("  ready for commands", "s", ready, bare: find.seconds, bar: 1.5))
    bench.add(
      Figure("  processor time", "s", measured.processor, bare: find.processor, bar: 1.5))
  }

  /// Measures the memory at rest, and checks that nothing happens then.
  static func rest(_ bench: Bench, _ people: [World.Person]) throws {
    // The process ids are asked for before, and the answer's own work is given a moment to end.
    // From here on only the kernel is asked.
    let processes = try people.map { try $0.process() }
    _ = poll(nil, 0, 2_000)
    let before = processes.map { ProcessFigures(of: $0) }
    for (person, figures) in zip(people, before) {
      bench.add(
        Figure("memory at rest of \(person.handle)", "MiB", figures.resident / 1_048_576, bar: 40))
    }
    // The time itself is the condition: nothing may happen in it.
    _ = poll(nil, 0, Int32(bench.options.rest) * 1_000)
    let after = processes.map { ProcessFigures(of: $0) }
    // A clock of the kernel that counts hundredths of a second shows what matters of the rest.
    let spent = zip(after, before).map { ($0.processor - $1.processor) * 100 }
      .map { $0.rounded(.down) / 100 }
    let wakeups = zip(after, before).map { $0.wakeups - $1.wakeups }
    bench.add(
      Figure(
        "at rest \(bench.options.rest) s, processor", "s", spent, bare: nil, at: 1, bar: 0))
    bench.add(Figure("  wake-ups", "", wakeups, bare: nil, at: 1, bar: 0))
  }
}
