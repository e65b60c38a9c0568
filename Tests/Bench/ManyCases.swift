import BenchFigures
import Glibc

/// Many shares, many people.
enum ManyCases {
  /// One person who shares very many folders.
  static func shares(_ bench: Bench) throws {
    let count = bench.options.shares
    try bench.world { world in
      let ana = world.ana
      mkdir(ana.folder, 0o755)
      var made: [Double] = []
      for number in 0..<count {
        let folder = "\(ana.folder)/\(number)"
        mkdir(folder, 0o755)
        try write(Array("\(number)".utf8), to: "\(folder)/file")
        let began = now()
        try ana.cairn("share", "create", folder)
        made.append((now() - began) * 1_000)
      }
      try world.settle([ana])
      let tenth = max(1, count / 10)
      bench.add(
        Figure(
          "\(count) shares: one more (bare: the first)", "ms", Array(made.suffix(tenth)),
          bare: Array(made.prefix(tenth))))
      let lists = try (0..<bench.options.samples).map { _ in
        let began = now()
        try ana.cairn("share", "list")
        return (now() - began) * 1_000
      }
      bench.add(Figure("\(count) shares: listed", "ms", lists, bare: nil, bar: 200))
      try TreeCases.rest(bench, [ana])
      try ana.cairn("stop")
      let began = now()
      try ana.cairn("start")
      bench.add(Figure("\(count) shares: ready after a start", "s", now() - began))
      try world.settle([ana])
      bench.add(Figure("  settled", "s", now() - began))
    }
  }

  /// 32 people who all write in one zone, against one person who writes the same total.
  static func writers(_ bench: Bench) throws {
    let (people, each) = (32, 8)
    let one = try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      try world.share(with: [world.bob])
      return try commits(people * each, by: [world.bob], world)
    }
    try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      let others = try (1..<people).map { try world.another("p\($0)") }
      defer { for person in others { _ = try? person.cairn("stop") } }
      try world.share(with: others)
      let began = now()
      let seconds = try commits(people * each, by: [world.ana] + others, world)
      bench.add(Figure("32 writers in one zone", "s", seconds, bare: one, bar: 2))
      try world.settle([world.ana] + others)
      bench.add(Figure("  at all 32", "s", now() - began))
      for person in others { try world.checkSame(world.ana.folder, person.folder) }
    }
  }

  /// Returns the seconds until that many files, written one after the other in turn, are all in the
  /// log and in Ana's folder.
  private static func commits(
    _ count: Int, by people: [World.Person], _ world: World
  ) throws -> Double {
    let arrival = try Arrival(at: world.ana.folder)
    var names: Set<String> = []
    let began = now()
    for number in 0..<count {
      let person = people[number % people.count]
      let name = "\(person.handle)-\(number)"
      try write(Array("\(1_000 + number)".utf8), to: "\(person.folder)/\(name)")
      names.insert(name)
    }
    try arrival.wait(for: names, size: 4)
    return now() - began
  }
}
