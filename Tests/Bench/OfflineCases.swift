import BenchFigures
import Glibc

/// Changes on both sides while both daemons are off.
enum OfflineCases {
  private static let (files, changes) = (2_000, 500)

  /// A change of a file.
  private enum Change {
    case write(String, String)
    case move(String, String)
    case delete(String)
  }

  /// 500 changes on each side. The bare equivalent carries the same changes through a third folder,
  /// and makes each copy durable.
  static func play(_ bench: Bench) throws {
    try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      for number in 0..<files {
        try write(Array("\(number)".utf8), to: "\(world.ana.folder)/\(number)")
      }
      let bare = try carry(bench, of: world.ana.folder)
      try world.share(with: [world.bob])
      try world.settle()
      let people = [world.ana, world.bob]
      for person in people { try person.cairn("stop") }
      for (part, person) in people.enumerated() { try change(person.folder, part) }
      try syncFileSystem(world.path)
      let stored = world.stored()
      let began = now()
      for person in people { try person.cairn("start") }
      try world.settle()
      var measured = try bench.measureNew(people, since: began)
      measured.cost.stored = world.stored() - stored
      bench.add(
        Figure(
          "\(changes) changes on each side while off", "s", measured.seconds, bare: bare.seconds,
          bar: 1.5
        ).costing(measured.cost, bare: bare.processor))
      try world.checkSame(world.ana.folder, world.bob.folder)
    }
  }

  /// The changes of one side.
  private static func list(_ part: Int) -> [Change] {
    (0..<changes).map { number in
      let name = "\(part * files / 2 + number)"
      switch number % 4 {
      case 0: return .write(name, "changed \(number)")
      case 1: return .move(name, name + "-moved")
      case 2: return .delete(name)
      default: return .write(name + "-new", "new")
      }
    }
  }

  private static func change(_ folder: String, _ part: Int) throws {
    for change in list(part) {
      switch change {
      case .write(let name, let text): try write(Array(text.utf8), to: "\(folder)/\(name)")
      case .move(let name, let other): rename("\(folder)/\(name)", "\(folder)/\(other)")
      case .delete(let name): unlink("\(folder)/\(name)")
      }
    }
  }

  /// Plays the same with `cp -au`, which copies files that are missing or older, through a third
  /// folder: in from both sides, and out to both.
  private static func carry(_ bench: Bench, of folder: String) throws -> Child.Cost {
    try bench.place { place in
      let sides = ["\(place)/one", "\(place)/other"]
      let between = "\(place)/between"
      for copy in sides + [between] { try Child.run("cp", "-a", folder, copy) }
      for (part, side) in sides.enumerated() { try change(side, part) }
      try syncFileSystem(place)
      let began = now()
      var cost = Child.Cost(seconds: 0, processor: 0)
      // Names that are gone on one side must be gone everywhere before anything is copied.
      let gone = [0, 1].flatMap(list).compactMap { change -> String? in
        switch change {
        case .move(let name, _), .delete(let name): name
        case .write: nil
        }
      }
      for copy in sides + [between] { for name in gone { unlink("\(copy)/\(name)") } }
      for side in sides { cost = cost + (try update(between, from: side)) }
      for side in sides { cost = cost + (try update(side, from: between)) }
      cost.seconds = now() - began
      try Child.run("diff", "-r", sides[0], sides[1])
      return cost
    }
  }

  private static func update(_ folder: String, from other: String) throws -> Child.Cost {
    try TreeCases.durable(at: folder, "cp", "-au", "\(other)/.", folder)
  }
}
