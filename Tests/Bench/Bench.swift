import ArgumentParser
import BenchFigures
import Glibc

/// Measures Cairn with real programs against bare system equivalents in the same run.
@main
struct BenchProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cairn-bench", abstract: "Measure Cairn against bare system equivalents.",
    discussion: """
      The cases: \(Bench.cases.map(\.name).joined(separator: ", ")).

      Status 1: a goal is missed or a case failed. Status 75: nothing is missed, but the machine \
      was busy with other work, so that goals were not judged.
      """,
    subcommands: [Run.self, Compare.self, RelayCommand.self], defaultSubcommand: Run.self)

  /// The status of a run whose goals could not be judged (sysexits.h: try again later).
  static let notJudged = ExitCode(75)

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure the cases.")

    @OptionGroup var options: Options

    @Option(help: "Write the figures to this file, as JSON.")
    var json: String?

    @Option(help: "Add figures with a goal to this file, a row each.")
    var history: String?

    @Option(help: "The measured revision, for the history.")
    var revision = "unknown"

    @Flag(help: "Add nothing to the history.")
    var noRecord = false

    func run() throws {
      let bench = try Bench.begin(options)
      defer { bench.end() }
      let machine = "\(Description.machine), \(bench.fileSystem)"
      Table.begin()
      var outcomes: [Outcome] = []
      for wanted in options.wanted {
        let found = bench.outcomes(of: wanted, runs: options.runs(of: wanted.name))
        for outcome in found { Table.add(outcome) }
        outcomes += found
        if let json { try Table.save(outcomes, to: json) }
        guard let history, !noRecord else { continue }
        try Table.record(found, to: history, revision: revision, machine: machine)
      }
      try judge(outcomes, failed: bench.failed)
    }

    /// Ends with the status that the outcomes deserve.
    private func judge(_ outcomes: [Outcome], failed: [String]) throws {
      let missed = outcomes.filter { $0.verdict == .missed }
      let unknown = outcomes.filter {
        if case .notJudged = $0.verdict { true } else { false }
      }
      if !failed.isEmpty { print("Failed: \(failed.joined(separator: ", ")).") }
      if !missed.isEmpty { print("\(missed.count) goals are missed.") }
      if !unknown.isEmpty {
        print(
          "\(unknown.count) goals were not judged, and nothing of them is in the history: "
            + "the machine was busy with other work. Measure again when it is idle.")
      }
      if !failed.isEmpty || !missed.isEmpty { throw ExitCode.failure }
      if !unknown.isEmpty { throw BenchProgram.notJudged }
    }
  }

  struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measure two builds in turns.",
      discussion: "Status 1: a figure became worse. Status 75: the machine was busy.")

    @OptionGroup var options: Options

    @Option(help: "The folder with the programs of the older build.")
    var other: String

    func run() throws {
      let own = options.wanted.filter { Bench.own.contains($0.name) && !options.cases.isEmpty }
      guard own.isEmpty else {
        throw ValidationError(
          "\(own.map(\.name).joined(separator: ", ")): measures code in this program, not the "
            + "built daemons. Compare the figures of two builds of cairn-bench instead.")
      }
      let bench = try Bench.begin(options)
      defer { bench.end() }
      Table.beginPairs()
      var pairs: [Pairing] = []
      for wanted in options.wanted where !Bench.own.contains(wanted.name) {
        let runs = options.runs ?? 5
        let found = bench.pairs(of: wanted, with: other, runs: runs)
        for pair in found { Table.add(pair) }
        pairs += found
      }
      let isWorse = pairs.contains { $0.change == .worse }
      if !bench.failed.isEmpty { print("Failed: \(bench.failed.joined(separator: ", ")).") }
      if isWorse || !bench.failed.isEmpty { throw ExitCode.failure }
      let isBusy = pairs.contains { if case .notJudged = $0.change { true } else { false } }
      if isBusy { throw BenchProgram.notJudged }
    }
  }

  struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "relay", abstract: "Copy each file that is written to another folder.",
      shouldDisplay: false)

    @Argument var source: String
    @Argument var target: String

    func run() throws { try Relay.run(from: source, to: target) }
  }
}

/// The common parts of the cases: their working folder, and the destination of their figures.
final class Bench {
  /// A case and its name.
  struct Case: Sendable {
    var name: String
    var play: @Sendable (Bench) throws -> Void
  }

  static let cases = [
    Case(name: "drop", play: LatencyCases.drop), Case(name: "burst", play: LatencyCases.burst),
    Case(name: "tree", play: TreeCases.tree), Case(name: "small", play: TreeCases.small),
    Case(name: "big", play: BigFileCases.first), Case(name: "changes", play: BigFileCases.changes),
    Case(name: "append", play: BigFileCases.append),
    Case(name: "rename", play: TreeCases.rename), Case(name: "delete", play: DeleteCases.play),
    Case(name: "offline", play: OfflineCases.play), Case(name: "rewind", play: RewindCases.play),
    Case(name: "writers", play: ManyCases.writers), Case(name: "parts", play: PartCases.parts),
    Case(name: "shares", play: ManyCases.shares), Case(name: "saves", play: PastCases.saves),
    Case(name: "past", play: PastCases.past), Case(name: "history", play: PastCases.history),
    Case(name: "collect", play: CollectCases.play),
    Case(name: "million", play: MillionCases.million), Case(name: "peers", play: PeerCases.play),
  ]

  /// The cases that are played only on request.
  static let long = ["shares", "saves", "past", "history", "collect", "million", "peers"]
  /// The cases that measure code in this program, whatever programs were built.
  static let own = ["parts", "saves", "past", "history", "collect"]

  let options: Options
  /// The folder with the programs that are measured now.
  private(set) var binaries: String
  /// The file system that is measured, for people.
  let fileSystem: String
  /// The cases that ended with an error, with the error.
  private(set) var failed: [String] = []
  /// A Boolean value that indicates whether the run counts system calls, so that its times are
  /// worth nothing.
  private(set) var isTracing = false
  /// The number of the run, from 0 on.
  private(set) var run = 0
  /// The figures of the present run.
  private var figures: [Figure] = []
  private let parent: String
  private let own: FreshFileSystem?

  /// Prepares this program and the place of the measurements, and prints a line about both. May
  /// begin the program once more in a mount namespace of its own.
  static func begin(_ options: Options) throws -> Bench {
    if options.at == nil { try FreshFileSystem.enter() }
    try Processes.shared.begin()
    let parent = options.at ?? "/tmp"
    var (own, reason) = (FreshFileSystem?.none, "")
    if options.at == nil {
      let isLarge = options.wanted.contains { $0.name == "million" }
      do {
        own = try FreshFileSystem(
          gigabytes: isLarge ? 48 : 12, bytesPerInode: isLarge ? 4_096 : nil, below: parent)
      } catch let trouble as Child.Trouble {
        reason = ", not on a new file system of its own (\(trouble))"
      }
    }
    let kind = Description.fileSystem(of: own?.folder ?? parent)
    let place = own == nil ? "\(kind)\(reason)" : "\(kind), new for each run"
    print("On \(Description.machine), in \(own?.folder ?? parent): \(place).")
    return Bench(
      options, own, parent: own?.folder ?? parent,
      fileSystem: own == nil ? "\(kind), shared" : "\(kind), new")
  }

  private init(_ options: Options, _ own: FreshFileSystem?, parent: String, fileSystem: String) {
    self.options = options
    self.own = own
    self.parent = parent
    self.fileSystem = fileSystem
    binaries = options.binaries
  }

  /// Removes the file system.
  func end() { own?.remove() }

  // MARK: Runs

  /// Plays a case several times, and once more for its system calls if they are wanted.
  func outcomes(of wanted: Case, runs: Int) -> [Outcome] {
    var (found, loads) = ([[Figure]](), [Load]())
    for number in 0..<runs {
      guard let (figures, load) = tried(wanted, number) else { break }
      found.append(figures)
      loads.append(load)
    }
    if options.calls, !found.isEmpty, !Self.own.contains(wanted.name) { count(wanted, &found) }
    return Outcome.merge(found, loads: loads)
  }

  /// Plays a case once more under strace. Only the counts of this run mean something.
  private func count(_ wanted: Case, _ found: inout [[Figure]]) {
    isTracing = true
    defer { isTracing = false }
    do {
      let (traced, _) = try played(wanted, found.count)
      for run in found.indices { found[run] = Figure.counted(found[run], by: traced) }
    } catch {
      print("\(wanted.name): system calls are not counted: \(error)")
    }
  }

  /// Plays a case with two builds in turns.
  func pairs(of wanted: Case, with other: String, runs: Int) -> [Pairing] {
    var (old, new, loads) = ([[Figure]](), [[Figure]](), [Load]())
    let newest = binaries
    defer { binaries = newest }
    for number in 0..<runs {
      for isOld in [true, false] {
        binaries = isOld ? other : newest
        guard let (figures, load) = tried(wanted, number) else { return [] }
        if isOld { old.append(figures) } else { new.append(figures) }
        loads.append(load)
      }
    }
    return Pairing.pair(old, new, loads: loads)
  }

  /// Plays a case once. A case that fails doesn't stop the others.
  private func tried(_ wanted: Case, _ number: Int) -> (figures: [Figure], load: Load)? {
    do { return try played(wanted, number) } catch {
      print("\(wanted.name) failed: \(error)")
      failed.append(wanted.name)
      return nil
    }
  }

  /// Plays a case once in a fresh place.
  private func played(_ wanted: Case, _ number: Int) throws -> (figures: [Figure], load: Load) {
    run = number
    figures = []
    try own?.renew()
    let pressure = try rest()
    let start = try Processes.shared.moment()
    try wanted.play(self)
    let end = try Processes.shared.moment()
    return (figures, Load(from: start, to: end, pressure: pressure))
  }

  /// Rests for a second. All work in this second is that of others.
  /// - Returns: the part of the second in which something waited for a disk.
  private func rest() throws -> Double? {
    try syncFileSystem(parent)
    func waited() -> Double? { ProcText.waited(text(of: "/proc/pressure/io")) }
    let (before, began) = (waited(), now())
    _ = poll(nil, 0, 1_000)
    guard let before, let after = waited() else { return nil }
    return (after - before) / 1e6 / (now() - began)
  }

  // MARK: For cases

  /// The path of this program.
  var program: String { "/proc/\(getpid())/exe" }

  /// Adds a figure of the present run.
  func add(_ figure: Figure) { figures.append(figure) }

  /// Plays a part of a case in a fresh folder, and removes the folder afterwards.
  func place<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try freshFolder(below: parent)
    defer { removeFolder(path) }
    return try body(path)
  }

  /// Plays a part of a case with two people.
  @discardableResult
  func world<Result>(_ body: (World) throws -> Result) throws -> Result {
    let world = try World(binaries: binaries, below: parent)
    defer { world.end() }
    return try body(world)
  }

  /// The source tree to mirror: the given one, or Debian's documentation, which every machine has.
  func tree() throws -> String { options.tree ?? "/usr/share/doc" }
}
