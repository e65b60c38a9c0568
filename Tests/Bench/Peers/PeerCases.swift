import BenchFigures
import Glibc

/// Other programs that mirror one folder in two places, in the same cases as Cairn. Each figure has
/// Cairn's number of the same run in its column, and the peer's in the column of the bare
/// equivalent. A mirror ends with durable data: what a peer leaves in memory is written out within
/// its time. Drops of most peers are not durable, and only restic encrypts anything.
enum PeerCases {
  /// A program that is measured against Cairn.
  struct Peer: Sendable {
    /// The name of the program, and of its Debian package.
    var program: String
    /// A Boolean value that indicates whether it watches a folder: drops come by themselves.
    var watches = false
    /// Mirrors `source` at `target`, with the peer's own files in `place`.
    var play: @Sendable (_ play: Play) throws -> Findings
  }

  /// The task of a peer.
  struct Play {
    var source: String
    var target: String
    var place: String
    /// The number of drops after the mirror.
    var samples: Int

    /// The environment of the programs.
    var environment: [String] {
      Child.environment + ["HOME=\(place)", "UNISON=\(place)/unison", "RESTIC_PASSWORD=bench"]
    }

    /// Runs a program to its end, and makes durable what it wrote. Both are in the time.
    func run(_ words: [String]) throws -> Child.Cost {
      let began = now()
      var cost = try Child(words, environment: environment).end(words.joined(separator: " "))
      try syncFileSystem(place)
      cost.seconds = now() - began
      return cost
    }

    /// Returns the milliseconds of new files of 4 KiB.
    func drops() throws -> [Double] {
      let arrival = try Arrival(at: target)
      var noise = Noise(19)
      return try (0..<samples).map { number in
        let content = noise.bytes(4_096)
        let began = now()
        try write(content, to: "\(source)/drop-\(number)")
        try arrival.wait(for: "drop-\(number)", content)
        return (now() - began) * 1_000
      }
    }
  }

  /// The measurements.
  struct Findings {
    /// Seconds until the whole tree had arrived, and was durable.
    var mirror: Double
    var processor: Double
    /// Milliseconds of each drop; nil if the peer doesn't watch a folder.
    var drops: [Double]?
  }

  static let all = [
    Peer(program: "syncthing", watches: true, play: Syncthing.play),
    Peer(program: "lsyncd", watches: true, play: Lsyncd.play),
    Peer(program: "unison", play: Commands.unison), Peer(program: "rclone", play: Commands.rclone),
    Peer(program: "restic", play: Commands.restic),
  ]

  // MARK: Cases

  /// Plays the requested peers, or all that are installed, with the source tree and with drops.
  static func play(_ bench: Bench) throws {
    let peers = installed(bench, bench.options.peer.isEmpty ? ["all"] : bench.options.peer)
    guard !peers.isEmpty else { return }
    let source = try bench.tree()
    try bench.world { world in
      let (ana, bob) = (world.ana, world.bob)
      try Child.run("cp", "-a", source, ana.folder)
      let own = try bench.measure(world) {
        try world.share(with: [bob])
        try world.settle()
      }
      try beside(bench, "source tree", source, own, peers)
      let play = Play(
        source: ana.folder, target: bob.folder, place: world.path,
        samples: bench.options.samples)
      try besideDrops(bench, try play.drops(), peers)
    }
  }

  /// Plays the requested peers with a tree that Cairn mirrored in that time.
  static func beside(
    _ bench: Bench, _ what: String, _ source: String, _ own: Measured, _ peers: [Peer]? = nil
  ) throws {
    for peer in peers ?? installed(bench, bench.options.peer) {
      guard let its = try measure(bench, peer, source, samples: 0) else { continue }
      bench.add(
        Figure("\(what) (bare: \(peer.program))", "s", own.seconds, bare: its.mirror)
          .costing(own.cost, bare: its.processor))
    }
  }

  /// Plays the requested peers that watch a folder, after Cairn's drops.
  static func besideDrops(_ bench: Bench, _ own: [Double], _ peers: [Peer]? = nil) throws {
    for peer in peers ?? installed(bench, bench.options.peer) where peer.watches {
      // A few drops of a program that gathers changes for a second say enough.
      let samples = min(bench.options.samples, peer.program == "syncthing" ? 20 : .max)
      let its = try bench.place { place in
        mkdir("\(place)/one", 0o755)
        try write([1], to: "\(place)/one/file")
        return try measure(bench, peer, "\(place)/one", samples: samples)
      }
      guard let drops = its?.drops else { continue }
      bench.add(
        Figure("drop of 4 KiB, median (bare: \(peer.program))", "ms", own, bare: drops))
      bench.add(
        Figure("drop of 4 KiB, 99th (bare: \(peer.program))", "ms", own, bare: drops, at: 0.99))
    }
  }

  /// Returns the peers of these names, or `all`, that are installed.
  private static func installed(_ bench: Bench, _ names: [String]) -> [Peer] {
    let wanted = all.filter { names.contains("all") || names.contains($0.program) }
    return wanted.filter { peer in
      let isThere = ["/usr/bin", "/bin"].contains { access("\($0)/\(peer.program)", X_OK) == 0 }
      if !isThere, bench.run == 0 {
        print("\(peer.program) isn't installed: `apt install \(peer.program)`")
      }
      return isThere
    }
  }

  /// Plays one peer in a folder of its own. A peer that doesn't work here doesn't stop the others.
  private static func measure(
    _ bench: Bench, _ peer: Peer, _ tree: String, samples: Int
  ) throws -> Findings? {
    try bench.place { place in
      let source = "\(place)/from"
      try Child.run("cp", "-a", tree, source)
      // Cairn's own files in its root are no task for a peer.
      try Child.run("rm", "-rf", "\(source)/.cairn")
      try syncFileSystem(place)
      do {
        return try peer.play(
          Play(source: source, target: "\(place)/to", place: place, samples: samples))
      } catch let trouble as Child.Trouble {
        print("\(peer.program): \(trouble)")
        return nil
      }
    }
  }

  /// Fails unless the trees are equal, except for the peer's own files.
  static func checkSame(_ one: String, _ other: String, except names: [String] = []) throws {
    let words = ["diff", "-r", "-q", "--no-dereference"] + names.map { "--exclude=\($0)" }
    try Child(words + [one, other]).end("comparing the trees")
  }

  /// Returns when both folders have the same number of entries. A peer has no better sign that it
  /// is done.
  static func wait(for source: String, at target: String) throws {
    let wanted = count(source)
    let deadline = now() + 1_200
    while count(target) < wanted {
      guard now() < deadline else {
        throw Child.Trouble(description: "the tree didn't come to \(target)")
      }
      _ = poll(nil, 0, 50)
    }
  }

  /// Counts files, directories and symlinks below a folder, without those that have a peer's own
  /// names.
  private static func count(_ folder: String) -> Int {
    var sum = 0
    for name in names(in: folder) where !name.hasPrefix(".st") && !name.hasPrefix(".syncthing") {
      sum += 1
      var status = stat()
      let path = "\(folder)/\(name)"
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { sum += count(path) }
    }
    return sum
  }
}
