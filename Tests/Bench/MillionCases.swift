import BenchFigures
import Glibc

/// Very many files. Each figure may grow in proportion to the number of files, and the time of one
/// change may not grow at all. The smaller tree is measured in the same run.
enum MillionCases {
  /// The measurements with one tree.
  private struct Findings {
    var mirror = 0.0
    var restart = 0.0
    var processor = 0.0
    var peak = 0.0
    var resting = 0.0
    var drops: [Double] = []
  }

  /// `--files` of 1 KiB, and a tenth of them.
  static func million(_ bench: Bench) throws {
    let count = bench.options.files
    let part = max(1, count / 10)
    let few = try measure(bench, part)
    let many = try measure(bench, count)
    let times = Double(count) / Double(part)
    let mebibyte = 1_048_576.0
    let linear: [(String, String, WritableKeyPath<Findings, Double>, Double)] = [
      ("first mirror", "s", \.mirror, 1), ("restart, settled", "s", \.restart, 1),
      ("restart, processor time", "s", \.processor, 1), ("peak memory", "MiB", \.peak, mebibyte),
      ("memory at rest", "MiB", \.resting, mebibyte),
    ]
    for (what, unit, at, size) in linear {
      bench.add(
        Figure(
          "\(count) files: \(what) (bare: linear)", unit, many[keyPath: at] / size,
          bare: few[keyPath: at] * times / size, bar: 1.2))
    }
    bench.add(Figure("\(count) files: peak memory", "MiB", many.peak / mebibyte, bar: 400))
    bench.add(
      Figure(
        "\(count) files: one change (bare: \(part))", "ms", many.drops, bare: few.drops, bar: 1.2))
  }

  private static func measure(_ bench: Bench, _ count: Int) throws -> Findings {
    try bench.world { world in
      let (ana, bob) = (world.ana, world.bob)
      try make(count, in: ana.folder)
      let bare = try bench.place { try TreeCases.copies(at: $0, of: ana.folder) }.both
      var found = Findings()
      let measured = try bench.measure(world) {
        try world.share(with: [bob])
        try world.settle()
      }
      found.mirror = measured.seconds
      bench.add(
        Figure("\(count) files: first mirror (bare: cp)", "s", found.mirror, bare: bare.seconds)
          .costing(measured.cost, bare: bare.processor))
      let figures = [try ana.daemon(), try bob.daemon()]
      found.peak = figures.map(\.peak).max() ?? 0
      found.resting = figures.map(\.resident).max() ?? 0
      try world.checkSame(ana.folder, bob.folder)
      found.drops = try drops(bench.options.samples, from: ana.folder, to: bob.folder)
      try ana.cairn("stop")
      try syncFileSystem(world.path)
      let find = try Child.run("find", ana.folder, "-newermt", "@0", "-size", "+0")
      let began = now()
      try ana.cairn("start")
      try ana.cairn("wait", "--timeout", "3600")
      found.restart = now() - began
      found.processor = try ana.daemon().processor
      bench.add(
        Figure("\(count) files: restart (bare: find)", "s", found.restart, bare: find.seconds))
      return found
    }
  }

  /// Makes files of 1 KiB, with twenty files in a directory. A directory has at most twenty
  /// subdirectories, except at the top.
  private static func make(_ count: Int, in folder: String) throws {
    mkdir(folder, 0o755)
    var noise = Noise(17)
    for number in 0..<count {
      let leaf = number / 20
      let path = "\(folder)/\(leaf / 400)/\(leaf / 20 % 20)/\(leaf % 20)"
      if number % 20 == 0 {
        for depth in [2, 1, 0] {
          let parts = path.split(separator: "/").dropLast(depth)
          mkdir("/" + parts.joined(separator: "/"), 0o755)
        }
      }
      try write(noise.bytes(1_024), to: "\(path)/file-\(number)")
    }
  }

  /// Returns the milliseconds of new files of 4 KiB in a directory far down.
  private static func drops(_ count: Int, from: String, to: String) throws -> [Double] {
    let below = "0/0/0"
    let arrival = try Arrival(at: "\(to)/\(below)")
    var noise = Noise(18)
    var found: [Double] = []
    for number in -3..<count {
      let content = noise.bytes(4_096)
      let began = now()
      try write(content, to: "\(from)/\(below)/drop-\(number)")
      try arrival.wait(for: "drop-\(number)", content)
      if number >= 0 { found.append((now() - began) * 1_000) }
    }
    return found
  }
}
