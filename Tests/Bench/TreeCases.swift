import Glibc

/// Whole trees, against `cp -a` into a folder and `cp -a` out of it.
enum TreeCases {
  /// A source tree: first mirror, a third person, a restart, a rename and a removal, memory, rest.
  static func tree(_ bench: Bench) throws {
    let source = try bench.tree()
    // The copies stay until the end, because the case after a large deletion would be slow.
    try bench.place { place in
      let bare = try copies(at: place, of: source)
      try tree(bench, source, bare)
    }
  }

  private static func tree(_ bench: Bench, _ source: String, _ bare: Child.Cost) throws {
    try bench.world { world in
      try Child.run("cp", "-a", source, world.ana.folder)
      let began = now()
      let before = try processor(world)
      try world.share(with: [world.bob])
      try world.settle()
      let seconds = now() - began
      let spent = try processor(world) - before
      try world.checkSame(world.ana.folder, world.bob.folder)
      bench.add(Figure("source tree, first mirror", "s", seconds, bare: bare.seconds, bar: 1))
      bench.add(
        Figure("source tree, processor time", "s", spent, bare: bare.processor, bar: 2))
      for person in [world.ana, world.bob] {
        let peak = try person.daemon().peak / 1_048_576
        bench.add(Figure("source tree, peak memory of \(person.handle)", "MiB", peak, bar: 150))
      }
      try third(bench, world, bare)
      try restart(bench, world)
      try rest(bench, [world.ana, world.bob])
    }
  }

  /// Twenty thousand files of 1 KiB.
  static func small(_ bench: Bench) throws {
    try bench.place { place in
      let source = "\(place)/small"
      mkdir(source, 0o755)
      var noise = Noise(3)
      for number in 0..<20_000 {
        let folder = "\(source)/\(number / 200)"
        if number % 200 == 0 { mkdir(folder, 0o755) }
        try write(noise.bytes(1_024), to: "\(folder)/file-\(number)")
      }
      let bare = try copies(at: place, of: source)
      try bench.world { world in
        try Child.run("cp", "-a", source, world.ana.folder)
        let began = now()
        try world.share(with: [world.bob])
        try world.settle()
        let seconds = now() - began
        try world.checkSame(world.ana.folder, world.bob.folder)
        bench.add(
          Figure("20,000 files of 1 KiB, first mirror", "s", seconds, bare: bare.seconds, bar: 1))
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
      let removed = now()
      try Child.run("rm", "-rf", new)
      // Deleting more than half of a folder at once needs a confirmation. `wait` reports that by
      // its status.
      while (try? world.ana.cairn("held", "confirm", world.ana.folder)) == nil {
        _ = try? world.ana.cairn("wait", "--timeout", "600")
      }
      try world.settle()
      bench.add(Figure("removal of a directory of 10,000", "s", now() - removed))
    }
  }

  // MARK: Parts

  /// Returns the total cost of `cp -a` into a folder and `cp -a` out of it.
  static func copies(at place: String, of source: String) throws -> Child.Cost {
    let into = try Child.run("cp", "-a", source, "\(place)/in")
    let out = try Child.run("cp", "-a", "\(place)/in", "\(place)/out")
    return Child.Cost(
      seconds: into.seconds + out.seconds, processor: into.processor + out.processor)
  }

  private static func processor(_ world: World) throws -> Double {
    try world.ana.daemon().processor + world.bob.daemon().processor
  }

  private static func third(_ bench: Bench, _ world: World, _ bare: Child.Cost) throws {
    let carol = try world.another("carol")
    let link = try world.ana.cairn("share", "invite", world.ana.folder, "carol")
    let began = now()
    try carol.cairn("share", "accept", link, "--at", carol.folder, "--wait")
    bench.add(
      Figure("source tree, joined by a third", "s", now() - began, bare: bare.seconds / 2))
    try world.checkSame(world.ana.folder, carol.folder)
    try carol.cairn("stop")
  }

  private static func restart(_ bench: Bench, _ world: World) throws {
    try world.ana.cairn("stop")
    let find = try Child.run("find", world.ana.folder, "-newermt", "@0", "-size", "+0")
    let began = now()
    try world.ana.cairn("start")
    let ready = now() - began
    try world.ana.cairn("wait", "--timeout", "600")
    let spent = try world.ana.daemon().processor
    bench.add(
      Figure("restart with the tree, settled", "s", now() - began, bare: find.seconds, bar: 1.5))
    bench.add(Figure("  ready for commands", "s", ready, bare: find.seconds, bar: 1.5))
    bench.add(Figure("  processor time", "s", spent, bare: find.processor, bar: 1.5))
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
    _ = poll(nil, 0, Int32(bench.restSeconds) * 1_000)
    let after = processes.map { ProcessFigures(of: $0) }
    let spent = zip(after, before).map { $0.processor - $1.processor }
    let wakeups = zip(after, before).map { $0.wakeups - $1.wakeups }
    bench.add(
      Figure("at rest \(bench.restSeconds) s, processor", "s", spent, bare: nil, at: 1, bar: 0))
    bench.add(Figure("  wake-ups", "", wakeups, bare: nil, at: 1, bar: 0))
  }
}
