import ArgumentParser

/// The options of every way to play cases.
struct Options: ParsableArguments {
  @Option(help: "The folder with the built programs.")
  var binaries: String

  @Option(
    help: """
      Where to work: a folder on the file system to be measured. Without it, each run gets a new \
      ext4 with a journal if this program may mount one, and works in /tmp otherwise.
      """)
  var at: String?

  @Option(help: "How often each case is played (default: 3, or 1 for a long case).")
  var runs: Int?

  @Option(help: "A source tree to mirror, such as the kernel's.")
  var tree: String?

  @Option(help: "Samples of each latency.")
  var samples = 200

  @Option(help: "Seconds of rest in which nothing may happen.")
  var rest = 60

  @Option(help: "Files of the case `small`.")
  var small = 20_000

  @Option(help: "Megabytes of the large file of the case `big`; half of them for `changes`.")
  var megabytes = 2_048

  @Option(help: "Files of the folder in which the case `delete` deletes one.")
  var many = 100_000

  @Option(help: "Files of the case `rewind`.")
  var rewound = 10_000

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

  @Option(
    help: """
      A peer to measure in the same runs: of the cases `drop`, `tree`, `small` and `big`, and of \
      `peers`, which plays all that are installed without it.
      """)
  var peer: [String] = []

  @Flag(help: "Play each case once more, and count the daemons' system calls with strace.")
  var calls = false

  @Argument(help: "The cases; all but \(Bench.long.joined(separator: ", ")) if left out.")
  var cases: [String] = []

  func validate() throws {
    guard (runs ?? 1) > 0, samples > 0, small > 3, megabytes > 3, many > 100, rewound >= 200 else {
      throw ValidationError("Runs, samples and sizes must be larger.")
    }
    let unknown = cases.filter { name in !Bench.cases.contains { $0.name == name } }
    guard unknown.isEmpty else {
      throw ValidationError("A case isn't known: \(unknown.joined(separator: ", ")).")
    }
  }

  /// The wanted cases in their usual order.
  var wanted: [Bench.Case] {
    Bench.cases.filter {
      cases.isEmpty ? !Bench.long.contains($0.name) : cases.contains($0.name)
    }
  }

  /// The number of times that a case is played.
  func runs(of name: String) -> Int { runs ?? (Bench.long.contains(name) ? 1 : 3) }
}
