import BenchFigures
import Glibc

/// One large file: its first mirror, and small changes in it. Small appends to a file that grows.
enum BigFileCases {
  private static let mebibyte = 1_048_576
  /// The number of small appends whose stored bytes are counted.
  private static let appends = 40

  /// A random file of 2 GiB.
  static func first(_ bench: Bench) throws {
    let size = bench.options.megabytes
    try bench.world { world in
      let (folder, source) = (world.ana.folder, "\(world.path)/big")
      mkdir(folder, 0o755)
      try make(source, mebibytes: size)
      let bare = try bench.place { try TreeCases.copies(at: $0, of: source) }.both
      try world.share(with: [world.bob])
      let measured = try bench.measure(world) {
        rename(source, "\(folder)/big")
        try world.settle()
      }
      try Child.run("cmp", "\(folder)/big", "\(world.bob.folder)/big")
      let name = "random file of \(size) MiB"
      bench.add(
        Figure(name, "s", measured.seconds, bare: bare.seconds, bar: 1.3)
          .costing(measured.cost, bare: bare.processor))
      bench.add(
        Figure("  processor time", "s", measured.processor, bare: bare.processor, bar: 2.7))
      try PeerCases.beside(bench, name, folder, measured)
    }
  }

  /// A change of a large file in two parts. Only the second part is visible in the folder and has
  /// its time measured.
  private struct Change {
    var name: String
    var prepare: () throws -> Void = {}
    var apply: () throws -> Void
  }

  /// A random file of 1 GiB, changed in the middle, at the front and at the end. The bare
  /// equivalent reads and writes the whole file once, durably.
  static func changes(_ bench: Bench) throws {
    let size = bench.options.megabytes / 2
    try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      try world.share(with: [world.bob])
      let (path, other) = ("\(world.ana.folder)/big", "\(world.bob.folder)/big")
      try make(path, mebibytes: size)
      try world.settle()
      for change in changes(of: path, size, beside: "\(world.path)/next", UInt64(bench.run)) {
        let bare = try bench.place { place in
          try TreeCases.durable(
            at: place, "dd", "if=\(path)", "of=\(place)/copy", "bs=1M", "status=none")
        }
        try change.prepare()
        let looked = try world.ana.daemon().bytesRead
        let measured = try bench.measure(world) {
          try change.apply()
          try world.settle()
        }
        let read = try world.ana.daemon().bytesRead - looked
        try Child.run("cmp", path, other)
        let name = "\(size) MiB, \(change.name)"
        bench.add(
          Figure(name, "s", measured.seconds, bare: bare.seconds, most: 2)
            .costing(measured.cost, bare: bare.processor))
        let stored = (measured.cost.stored ?? 0) / Double(mebibyte)
        bench.add(Figure("  stored by it", "MiB", stored, bar: 1.5))
        bench.add(Figure("  read by the daemon", "MiB", read / Double(mebibyte)))
      }
    }
  }

  private static func changes(
    of path: String, _ size: Int, beside next: String, _ seed: UInt64
  ) -> [Change] {
    var noise = Noise(9 + seed)
    let (middle, end) = (noise.bytes(mebibyte), noise.bytes(mebibyte))
    return [
      Change(
        name: "1 MiB overwritten in the middle",
        apply: {
          let file = open(path, O_WRONLY | O_CLOEXEC)
          defer { close(file) }
          let written = pwrite(file, middle, middle.count, size / 2 * mebibyte)
          guard written == middle.count else {
            throw Child.Trouble(description: "can't write \(path)")
          }
        }),
      Change(
        name: "a byte inserted at the front",
        prepare: {
          try Child.run("sh", "-c", "{ printf x; cat \"$1\"; } > \"$2\"", "sh", path, next)
        }, apply: { rename(next, path) }),
      Change(name: "1 MiB appended", apply: { try write(end, to: path, flags: O_APPEND) }),
    ]
  }

  /// Appends of 1 KiB to a file of 1 MiB, one after the other, as a log grows. The mean counts: a
  /// way to store appends that is cheap nearly always must be cheap on the whole.
  static func append(_ bench: Bench) throws {
    try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      let (path, other) = ("\(world.ana.folder)/log", "\(world.bob.folder)/log")
      var noise = Noise(23)
      try write(noise.bytes(mebibyte), to: path)
      try world.share(with: [world.bob])
      try world.settle()
      var stored: [Double] = []
      let measured = try bench.measure(world) {
        for _ in 0..<appends {
          let before = world.stored()
          try write(noise.bytes(1_024), to: path, flags: O_APPEND)
          try world.settle()
          stored.append((world.stored() - before) / 1_000)
        }
      }
      try Child.run("cmp", path, other)
      let mean = stored.reduce(0, +) / Double(stored.count)
      bench.add(
        Figure("1 KiB appended to 1 MiB: stored on average", "KB", mean, bare: 1.024, most: 4)
          .costing(measured.cost.shared(by: Double(appends))))
      bench.add(Figure("  the largest of \(appends)", "KB", stored, bare: nil, at: 1))
    }
  }

  private static func make(_ path: String, mebibytes: Int) throws {
    var noise = Noise(UInt64(mebibytes))
    try write([], to: path)
    for _ in 0..<mebibytes { try write(noise.bytes(mebibyte), to: path, flags: O_APPEND) }
  }
}
