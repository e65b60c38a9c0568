import Glibc
import Simulator

/// The command behind `make simulate`: plays the stories of a range of seeds, and replays one.
struct Program {
  private var first: UInt64 = 1
  private var otherSeed: UInt64?
  /// The number of seeds that a script is tried with.
  private var tries: UInt64 = 1
  private var count: UInt64 = 1_000
  private var stride: UInt64 = 1
  private var steps: [Int]?
  private var sabotage: String?
  private var kind: String?
  private var isReplay = false
  private var script: String?
  /// The number of commands of a story in which records move between zones.
  private var moves: Int?
  /// A Boolean value that indicates whether daemons end in the middle of calls in these stories.
  private var endsDaemons = false
  private var hasTrouble = false
  private var written: String?
  private var isShrunk = false
  private var showsTrace = false
  private var showsHashes = false

  private static let usage = """
    usage: cairn-simulate [--seed FIRST] [--seeds COUNT] [--stride STEP] [--kind NAME] [--hashes]
           cairn-simulate --replay SEED [--kind NAME] [--steps 1,2,5] [--sabotage NAME] [--shrink]
                          [--write FILE]
           cairn-simulate --script FILE [--seed OTHER] [--seeds COUNT] [--trace]
           cairn-simulate --moves COMMANDS [--seed FIRST] [--seeds COUNT] [--ends]
                          [--trouble] [--sabotage NAME] [--trace]

    """

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--hashes": showsHashes = true
      case "--seed":
        first = Self.number(rest.popFirst())
        otherSeed = first
      case "--stride": stride = Self.number(rest.popFirst())
      case "--seeds":
        count = Self.number(rest.popFirst())
        tries = count
      case "--replay":
        isReplay = true
        first = Self.number(rest.popFirst())
      case "--steps":
        steps = (rest.popFirst() ?? "").split(separator: ",").compactMap { Int($0) }
      case "--shrink": isShrunk = true
      case "--script":
        script = Self.text(rest.popFirst())
      case "--moves": moves = Int(Self.number(rest.popFirst()))
      case "--ends": endsDaemons = true
      case "--trouble": hasTrouble = true
      case "--trace": showsTrace = true
      case "--write": written = Self.text(rest.popFirst())
      case "--kind": kind = rest.popFirst()
      case "--sabotage": sabotage = rest.popFirst()
      default: Self.refuse()
      }
    }
  }

  private static func number(_ text: String?) -> UInt64 {
    guard let text, let number = UInt64(text) else { refuse() }
    return number
  }

  private static func text(_ text: String?) -> String {
    guard let text else { refuse() }
    return text
  }

  private static func refuse() -> Never {
    complain(usage)
    exit(64)
  }

  private static func complain(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  /// Restarts the program if sets and dictionaries don't have the same order in each run.
  static func beDeterministic() {
    let name = "SWIFT_DETERMINISTIC_HASHING"
    guard getenv(name) == nil else { return }
    setenv(name, "1", 1)
    // The only thread soon needs freed memory again, so all of it is kept.
    setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=2000", 0)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    complain("cairn-simulate can't start itself anew: \(String(cString: strerror(errno)))\n")
    exit(71)
  }

  func run() -> Int32 {
    do {
      if let script { return try play(script: script) }
      if let moves { return try play(moves: moves) }
      return isReplay ? try replay() : try play()
    } catch {
      Self.complain("cairn-simulate: \(error)\n")
      return 70
    }
  }

  /// Plays a script from a file.
  private func play(script file: String) throws -> Int32 {
    guard let text = Self.contents(of: file) else {
      Self.complain("cairn-simulate: can't read \(file): \(String(cString: strerror(errno)))\n")
      return 66
    }
    var seed = otherSeed
    var violation: String?
    for _ in 0..<tries {
      var replay = try Replay(script: text, seed: seed)
      let played = try replay.play(keepsTrace: showsTrace)
      for line in played.lines { print(line) }
      violation = played.violation
      if tries > 1 { print("seed \(replay.seed): \(violation ?? "no rule is broken")") }
      if violation == nil { break }
      // The additional checks also follow from the seed: these seeds have the same ones.
      seed = replay.seed + 24
    }
    if tries == 1 { print(violation ?? "no rule is broken") }
    return violation == nil ? 0 : 1
  }

  /// Plays stories in which records move between zones.
  private func play(moves commands: Int) throws -> Int32 {
    guard let player = sabotage.map({ Moves(sabotage: $0) }) ?? Moves() else { Self.refuse() }
    var broken = 0
    for seed in first..<first + count {
      let (violation, lines) = try player.play(
        seed: seed, commands: commands, endsDaemons: endsDaemons, hasTrouble: hasTrouble,
        keepsTrace: showsTrace)
      for line in lines { print(line) }
      guard let violation else { continue }
      broken += 1
      print("seed \(seed): \(violation)")
      fflush(nil)
    }
    print("stories \(count) commands \(count * UInt64(commands)) violations \(broken)")
    return broken == 0 ? 0 : 1
  }

  private static func contents(of file: String) -> String? {
    guard let stream = fopen(file, "r") else { return nil }
    defer { fclose(stream) }
    var (bytes, buffer): ([UInt8], [UInt8]) = ([], .init(repeating: 0, count: 65_536))
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func save(_ text: String, in file: String) -> Bool {
    guard let stream = fopen(file, "w") else { return false }
    let isWritten = fputs(text, stream) >= 0
    return fclose(stream) == 0 && isWritten
  }

  private func replay() throws -> Int32 {
    guard var replay = Replay(seed: first, steps: steps, kind: kind, sabotage: sabotage) else {
      Self.refuse()
    }
    if isShrunk, let shortest = try replay.shrink() {
      guard let short = Replay(seed: first, steps: shortest, kind: kind, sabotage: sabotage) else {
        Self.refuse()
      }
      replay = short
      print("steps " + shortest.map(String.init).joined(separator: ","))
    }
    let text = try replay.text()
    if let written, !Self.save(text, in: written) {
      Self.complain("cairn-simulate: \(written): \(String(cString: strerror(errno)))\n")
      return 73
    }
    print(text)
    let (lines, violation, hash) = try replay.play()
    for line in lines { print(line) }
    print("trace \(String(hash, radix: 16))")
    print(violation ?? "no rule is broken")
    return violation == nil ? 0 : 1
  }

  private func play() throws -> Int32 {
    guard var campaign = kind.map({ Campaign(kind: $0) }) ?? Campaign() else { Self.refuse() }
    var summary = Campaign.Summary()
    let start = Self.now
    for index in 0..<count {
      let seed = first + index * stride
      let before = summary.failures.count
      let hash = try campaign.play(seed: seed, into: &summary)
      if showsHashes { print("\(seed) \(String(hash, radix: 16))") }
      if summary.failures.count > before, let failure = summary.failures.last {
        try tell(failure, isShrunk: before < 3)
      }
      fflush(nil)
    }
    tell(summary, seconds: Self.now - start)
    return summary.failures.isEmpty ? 0 : 1
  }

  /// The finding, and the command that shows it again.
  private func tell(_ failure: Campaign.Failure, isShrunk: Bool) throws {
    print("seed \(failure.seed): \(failure.message)")
    var command = "cairn-simulate --replay \(failure.seed)"
    if let kind { command += " --kind \(kind)" }
    if isShrunk, var replay = Replay(seed: failure.seed, steps: nil, kind: kind, sabotage: nil),
      let steps = try replay.shrink()
    {
      command += " --steps " + steps.map(String.init).joined(separator: ",")
    }
    print("  \(command)")
  }

  private func tell(_ summary: Campaign.Summary, seconds: Double) {
    print(
      "stories \(summary.stories) operations \(summary.operations) "
        + "violations \(summary.failures.count) seconds \(Int(seconds.rounded()))")
    for (fault, count) in summary.faults.sorted(by: { $0.key < $1.key }) {
      print("fault \(count) \(fault)")
    }
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
