/// The acts of three people and of the world on three folders, from one seed. The same seed gives
/// the same script. Names are from a small set, so that people have conflicts.
struct SoakScript {
  /// One act of a person, or one event for a person.
  struct Step: Sendable {
    /// The person of the folder or the daemon.
    var who: Int
    var act: Act
  }

  enum Act: Hashable, Sendable {
    /// A file made beside the folder replaces this one.
    case replace(Name, size: Int)
    /// The file is overwritten in place.
    case overwrite(Name, size: Int)
    /// The file is opened. From now on it grows, now and then, until it is closed.
    case hold(Name)
    case grow(size: Int)
    case letGo
    /// Bytes are stored into a mapping of the file.
    case store(Name, at: Int)
    /// A second name for a file.
    case link(Name, as: Name)
    case symlink(Name, to: Name)
    case move(Name, to: Name)
    case remove(Name)
    case makeDirectory(Name)
    /// A directory with directories and files in it.
    case build(Name)
    case setMode(Name, isExecutable: Bool)
    /// The daemon has a moment to work.
    case breathe
    /// The daemon ends as by a power cut, and starts again.
    case kill
    /// The daemon stops until it is woken.
    case pause
    case wake
    /// The daemon ends, its index is deleted, and it starts again.
    case loseIndex
    /// The owner removes the permission to write, and gives it back.
    case setPermission(isWritable: Bool)
  }

  let steps: [Step]

  /// Creates a script of `count` steps. In a lonely one only one person acts, and nobody loses a
  /// permission.
  init(seed: UInt64, count: Int, isLonely: Bool) {
    var random = SoakRandom(seed: seed)
    let lonely = isLonely ? Int(random.next() % 3) : nil
    steps = (0..<count).map { _ in Self.step(&random, lonely) }
  }

  private static func step(_ random: inout SoakRandom, _ lonely: Int?) -> Step {
    let anybody = random.below(3)
    let who = lonely ?? anybody
    switch random.below(100) {
    case 0..<14: return Step(who: who, act: .replace(file(&random), size: size(&random)))
    case 14..<26: return Step(who: who, act: .overwrite(file(&random), size: size(&random)))
    case 26..<29: return Step(who: who, act: .hold(file(&random)))
    case 29..<35: return Step(who: who, act: .grow(size: 1 + random.below(5_000)))
    case 35..<38: return Step(who: who, act: .letGo)
    case 38..<42: return Step(who: who, act: .store(file(&random), at: random.below(3_000)))
    case 42..<44: return Step(who: who, act: .link(file(&random), as: file(&random)))
    case 44..<46: return Step(who: who, act: .symlink(file(&random), to: file(&random)))
    case 46..<52: return Step(who: who, act: .move(file(&random), to: file(&random)))
    case 52..<54: return Step(who: who, act: .move(directory(&random), to: directory(&random)))
    case 54..<60: return Step(who: who, act: .remove(file(&random)))
    case 60..<62: return Step(who: who, act: .remove(directory(&random)))
    case 62..<67: return Step(who: who, act: .makeDirectory(directory(&random)))
    case 67..<70: return Step(who: who, act: .build(directory(&random)))
    case 70..<74:
      let isExecutable = random.below(2) == 0
      return Step(who: who, act: .setMode(file(&random), isExecutable: isExecutable))
    case 74..<88: return Step(who: anybody, act: .breathe)
    case 88..<92: return Step(who: anybody, act: .kill)
    case 92..<94: return Step(who: anybody, act: .pause)
    case 94..<97: return Step(who: anybody, act: .wake)
    case 97: return Step(who: anybody, act: .loseIndex)
    default:
      let isWritable = random.below(2) == 0
      guard lonely == nil else { return Step(who: anybody, act: .breathe) }
      return Step(who: 1 + random.below(2), act: .setPermission(isWritable: isWritable))
    }
  }

  private static func directory(_ random: inout SoakRandom) -> Name {
    let outer: Name = "d\(random.below(3))"
    return random.below(3) == 0 ? outer / "e\(random.below(2))" : outer
  }

  private static func file(_ random: inout SoakRandom) -> Name {
    let name: Name = "f\(random.below(6))"
    return random.below(2) == 0 ? name : directory(&random) / name
  }

  private static func size(_ random: inout SoakRandom) -> Int {
    switch random.below(10) {
    case 0: 100_000 + random.below(200_000)
    case 1: 0
    default: 1 + random.below(4_000)
    }
  }
}

/// Numbers that depend on the seed alone (SplitMix64).
struct SoakRandom {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
    // Otherwise the next seed would give the same numbers, except for the first.
    state = next() ^ 0x2545_F491_4F6C_DD1D &* seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
