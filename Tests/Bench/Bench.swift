import ArgumentParser
import Glibc

/// Measures Cairn with real programs against bare system equivalents in the same run.
@main
struct BenchProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cairn-bench", abstract: "Measure Cairn against bare system equivalents.",
    discussion: "The cases: \(Bench.cases.map(\.name).joined(separator: ", ")).",
    subcommands: [Run.self, RelayCommand.self], defaultSubcommand: Run.self)

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure the cases.")

    @Option(help: "The folder with the built programs.")
    var binaries: String

    @Option(help: "Write the figures to this file, as JSON.")
    var json: String?

    @Option(help: "Where to work: a folder on the file system to be measured.")
    var at = "/tmp"

    @Option(help: "A source tree to mirror, such as the kernel's.")
    var tree: String?

    @Option(help: "Samples of each latency.")
    var samples = 50

    @Option(help: "Seconds of rest in which nothing may happen.")
    var rest = 60

    @Option(help: "Files of the case `million`.")
    var files = 1_000_000

    @Option(help: "Folders of the case `shares`.")
    var shares = 1_000

    @Option(help: "Saves of the case `saves`.")
    var saves = 100_000

    @Option(help: "Entries of the cases `past` and `history`.")
    var entries = 1_000_000

    @Option(help: "Gigabytes of the case `collect`.")
    var gigabytes = 4

    @Option(help: "A peer of the case `peers`; all that are installed if left out.")
    var peer: [String] = []

    @Argument(help: "The cases; all but \(Bench.long) if left out.")
    var cases: [String] = []

    func run() throws {
      let bench = Bench(
        binaries: binaries, parent: at, givenTree: tree, samples: samples, restSeconds: rest,
        files: files, shares: shares, saves: saves, entries: entries, gigabytes: gigabytes,
        peers: peer)
      let wanted = Bench.cases.filter {
        cases.isEmpty ? !Bench.long.contains($0.name) : cases.contains($0.name)
      }
      guard cases.allSatisfy({ name in wanted.contains { $0.name == name } }) else {
        throw ValidationError("A case isn't known: \(cases.joined(separator: ", ")).")
      }
      Table.begin()
      for (_, play) in wanted { try play(bench) }
      if let json { try Table.write(bench.figures, to: json) }
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
  static let cases: [(name: String, play: @Sendable (Bench) throws -> Void)] = [
    ("drop", LatencyCases.drop), ("burst", LatencyCases.burst), ("tree", TreeCases.tree),
    ("small", TreeCases.small), ("big", BigFileCases.first), ("changes", BigFileCases.changes),
    ("rename", TreeCases.rename), ("offline", ManyCases.offline),
    ("writers", ManyCases.writers), ("shares", ManyCases.shares),
    ("parts", PartCases.parts), ("saves", PastCases.saves), ("past", PastCases.past),
    ("history", PastCases.history), ("collect", CollectCases.play), ("rewind", RewindCases.play),
    ("million", MillionCases.million), ("peers", PeerCases.play),
  ]

  /// The cases that are played only on request.
  static let long = ["past", "history", "collect", "million", "peers"]

  let binaries: String
  let samples: Int
  let restSeconds: Int
  let files: Int
  let shares: Int
  let saves: Int
  let entries: Int
  let gigabytes: Int
  let peers: [String]
  private(set) var figures: [Figure] = []
  private let parent: String
  private let givenTree: String?

  init(
    binaries: String, parent: String, givenTree: String?, samples: Int, restSeconds: Int,
    files: Int, shares: Int, saves: Int, entries: Int, gigabytes: Int, peers: [String]
  ) {
    self.binaries = binaries
    self.parent = parent
    self.givenTree = givenTree
    self.samples = samples
    self.restSeconds = restSeconds
    self.files = files
    self.shares = shares
    self.saves = saves
    self.entries = entries
    self.gigabytes = gigabytes
    self.peers = peers
  }

  /// The path of this program.
  var program: String { "/proc/\(getpid())/exe" }

  /// Prints a figure.
  func add(_ figure: Figure) {
    figures.append(figure)
    Table.add(figure)
  }

  /// Plays a case in a fresh folder, and removes the folder afterwards.
  func place<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try freshFolder(below: parent)
    defer { _ = try? Child.run("rm", "-rf", path) }
    return try body(path)
  }

  /// Plays a case with two people.
  @discardableResult
  func world<Result>(_ body: (World) throws -> Result) throws -> Result {
    let world = try World(binaries: binaries, below: parent)
    defer { world.end() }
    return try body(world)
  }

  /// The source tree to mirror: the given one, or Debian's documentation, which every machine has.
  func tree() throws -> String { givenTree ?? "/usr/share/doc" }
}
