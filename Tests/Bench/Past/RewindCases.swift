import BenchFigures
import Glibc

/// Ten thousand files that somebody deleted or overwrote are restored in the others' folders. The
/// bare equivalent is the first mirror of the same files.
enum RewindCases {
  static func play(_ bench: Bench) throws {
    let count = bench.options.rewound / 100 * 100
    try bench.world { world in
      let (ana, bob) = (world.ana, world.bob)
      try overwrite(count, in: ana.folder, seed: 1)
      let mirror = try bench.measure(world) {
        try world.share(with: [bob])
        try world.settle()
      }
      try world.checkSame(ana.folder, bob.folder)

      let deleted = try place(world)
      try Child.run("rm", "-rf", "\(bob.folder)/files")
      while (try? bob.cairn("held", "confirm", bob.folder)) == nil {
        _ = try? bob.cairn("wait", "--timeout", "600")
      }
      try world.settle()
      try back(bench, world, to: deleted, "\(count) deleted", mirror)
      try checkCount(count, world)

      let overwritten = try place(world)
      try overwrite(count, in: bob.folder, seed: 2)
      try world.settle()
      try back(bench, world, to: overwritten, "\(count) overwritten", mirror)
      try checkCount(count, world)
    }
  }

  /// Reverts Bob's changes with Ana's `rewind`, until both have the former files.
  private static func back(
    _ bench: Bench, _ world: World, to place: String, _ what: String, _ mirror: Measured
  ) throws {
    let (ana, bob) = (world.ana, world.bob)
    let stored = packs(world)
    let measured = try bench.measure(world) {
      try ana.cairn("rewind", ana.folder, "--to", place, "--by", "bob")
      try world.settle()
    }
    bench.add(
      Figure(
        "\(what) files come back (bare: mirror)", "s", measured.seconds, bare: mirror.seconds,
        bar: 1.2
      ).costing(measured.cost, bare: mirror.processor))
    bench.add(
      Figure(
        "  processor time", "s", measured.processor, bare: mirror.processor, bar: 1.2))
    bench.add(Figure("  bytes of content stored", "B", packs(world) - stored, bar: 0))
    try world.checkSame(ana.folder, bob.folder)
  }

  private static func checkCount(_ count: Int, _ world: World) throws {
    guard names(in: "\(world.ana.folder)/files").count == count / 100 else {
      throw Child.Trouble(description: "files are missing")
    }
  }

  /// Writes a hundred files into each directory, large enough to be stored in packs.
  private static func overwrite(_ count: Int, in folder: String, seed: UInt64) throws {
    var noise = Noise(seed)
    for path in [folder, "\(folder)/files"] { mkdir(path, 0o755) }
    for number in 0..<count {
      let directory = "\(folder)/files/\(number / 100)"
      if number.isMultiple(of: 100) { mkdir(directory, 0o755) }
      try write(noise.bytes(4_096), to: "\(directory)/file-\(number)")
    }
  }

  /// Returns the end of the log, in the form that `rewind` accepts.
  private static func place(_ world: World) throws -> String {
    let answer = try world.ana.cairn("log", world.ana.folder, "--limit", "1", "--json")
    guard let found = answer.firstMatch(of: /"sequence":([0-9]+)/) else {
      throw Child.Trouble(description: "the log doesn't say where it ends: \(answer)")
    }
    return "@\(found.output.1)"
  }

  private static func packs(_ world: World) -> Double {
    names(in: "\(world.container)/users").reduce(0) {
      $0 + World.size(of: "\(world.container)/users/\($1)/packs")
    }
  }
}
