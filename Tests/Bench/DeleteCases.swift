import BenchFigures
import Glibc

/// Files that somebody deletes.
enum DeleteCases {
  /// The number of single files that are deleted one after the other.
  private static let single = 10

  /// A quarter of the files of the case `small`, and single files in a large folder.
  static func play(_ bench: Bench) throws {
    try quarter(bench)
    try singles(bench)
  }

  /// Deletes a quarter of a folder: every fourth directory. The bare equivalent deletes them in
  /// both copies, and makes that durable.
  private static func quarter(_ bench: Bench) throws {
    let count = bench.options.small / 800 * 800
    try bench.world { world in
      let (folder, other) = (world.ana.folder, world.bob.folder)
      try TreeCases.make(count, size: 1_024, in: folder)
      let gone = stride(from: 0, to: count / 200, by: 4).map { "\($0)" }
      let bare = try bench.place { place in
        let copies = ["\(place)/in", "\(place)/out"]
        for copy in copies { try Child.run("cp", "-a", folder, copy) }
        try syncFileSystem(place)
        let began = now()
        var cost = Child.Cost(seconds: 0, processor: 0)
        for copy in copies { cost = cost + (try remove(gone, in: copy)) }
        cost.seconds = now() - began
        return cost
      }
      try world.share(with: [world.bob])
      try world.settle()
      let arrival = try Arrival(at: other, removals: true)
      let measured = try bench.measure(world) {
        let words = ["rm", "-rf"] + gone.map { "\(folder)/\($0)" }
        try Child(words).end("rm")
        try arrival.wait(for: "the end of \(gone.count) directories") {
          !gone.contains { access("\(other)/\($0)", F_OK) == 0 }
        }
        // A directory is gone before that is durable.
        try world.settle()
      }
      bench.add(
        Figure(
          "\(count / 4) of \(count) files deleted", "s", measured.seconds, bare: bare.seconds,
          most: 0.8
        ).costing(measured.cost, bare: bare.processor))
      try world.checkSame(folder, other)
    }
  }

  private static func remove(_ names: [String], in folder: String) throws -> Child.Cost {
    let words = ["rm", "-rf"] + names.map { "\(folder)/\($0)" }
    let cost = try Child(words).end("rm")
    try syncFileSystem(folder)
    return cost
  }

  /// Deletes single files in a large folder. The processor time of each daemon counts, because it
  /// must not grow with the folder.
  private static func singles(_ bench: Bench) throws {
    let count = bench.options.many
    try bench.world { world in
      let people = [world.ana, world.bob]
      try TreeCases.make(count, size: 48, in: world.ana.folder)
      try world.share(with: [world.bob])
      try world.settle()
      let processes = try people.map { try $0.process() }
      var (spent, times) = ([[Double]](), [Double]())
      for number in 0..<single {
        try quiet(processes)
        let before = processes.map { ProcessFigures(of: $0).processor }
        let place = number * (count / single)
        let name = "\(place / 200)/file-\(place)"
        let arrival = try Arrival(at: "\(world.bob.folder)/\(place / 200)", removals: true)
        let began = now()
        unlink("\(world.ana.folder)/\(name)")
        try arrival.wait(for: "the end of \(name)") {
          access("\(world.bob.folder)/\(name)", F_OK) != 0
        }
        times.append((now() - began) * 1_000)
        try quiet(processes)
        let after = processes.map { ProcessFigures(of: $0).processor }
        spent.append(zip(after, before).map { ($0 - $1) * 1_000 })
      }
      let name = "one file deleted of \(count)"
      bench.add(Figure("\(name), gone at the other", "ms", times, bare: nil))
      for (index, person) in people.enumerated() {
        bench.add(
          Figure(
            "  processor time of \(person.handle)'s daemon", "ms", spent.map { $0[index] },
            bare: nil, bar: 5))
      }
    }
  }

  /// Returns when the daemons use no processor any more: for half a second, or nearly none in ten.
  private static func quiet(_ processes: [pid_t]) throws {
    func spent() -> Double { processes.map { ProcessFigures(of: $0).processor }.reduce(0, +) }
    let deadline = now() + 120
    var before = spent()
    while now() < deadline {
      _ = poll(nil, 0, 500)
      let after = spent()
      if after - before < 0.000_2 { return }
      before = after
    }
    throw Child.Trouble(description: "the daemons don't come to rest")
  }
}
