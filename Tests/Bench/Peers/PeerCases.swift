import Glibc

/// Other programs that mirror one folder in two places, in the same cases as Cairn. Each figure has
/// Cairn's number of the same run in its column, and the peer's in the column of the bare
/// equivalent. Most peers make nothing durable, and only restic encrypts anything.
enum PeerCases {
  /// A program that is measured against Cairn.
  struct Peer: Sendable {
    /// The name of the program, and of its Debian package.
    var program: String
    /// Mirrors `source` at `target`, with the peer's own files in `place`.
    var play: @Sendable (_ play: Play) throws -> Findings
  }

  /// The task of a peer.
  struct Play {
    var source: String
    var target: String
    var place: String
    var samples: Int

    /// The environment of the programs.
    var environment: [String] {
      Child.environment + ["HOME=\(place)", "UNISON=\(place)/unison", "RESTIC_PASSWORD=bench"]
    }

    /// Runs a program to its end.
    func run(_ words: String...) throws -> Child.Cost {
      try Child(words, environment: environment).end(words.joined(separator: " "))
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
    /// Seconds until the whole tree had arrived.
    var mirror: Double
    var processor: Double
    /// Milliseconds of each drop; nil if the peer doesn't watch a folder.
    var drops: [Double]?
  }

  static let all = [
    Peer(program: "syncthing", play: Syncthing.play), Peer(program: "lsyncd", play: Lsyncd.play),
    Peer(program: "unison", play: Commands.unison), Peer(program: "rclone", play: Commands.rclone),
    Peer(program: "restic", play: Commands.restic),
  ]

  /// Plays the requested peers that are installed.
  static func play(_ bench: Bench) throws {
    let wanted = all.filter { bench.peers.isEmpty || bench.peers.contains($0.program) }
    let there = wanted.filter { peer in
      let isThere = ["/usr/bin", "/bin"].contains { access("\($0)/\(peer.program)", X_OK) == 0 }
      if !isThere { print("\(peer.program) isn't installed: `apt install \(peer.program)`") }
      return isThere
    }
    guard !there.isEmpty else { return }
    let source = try bench.tree()
    let own = try cairn(bench, source)
    for peer in there {
      do {
        add(bench, peer.program, own, try measure(bench, peer, source))
      } catch let trouble as Child.Trouble {
        // A peer that doesn't work here doesn't stop the others.
        print("\(peer.program): \(trouble)")
      }
    }
  }

  private static func add(_ bench: Bench, _ peer: String, _ own: Findings, _ its: Findings) {
    bench.add(Figure("source tree (bare: \(peer))", "s", own.mirror, bare: its.mirror))
    bench.add(
      Figure("  processor time (bare: \(peer))", "s", own.processor, bare: its.processor))
    if let drops = its.drops {
      bench.add(Figure("  drop of 4 KiB (bare: \(peer))", "ms", own.drops ?? [], bare: drops))
    }
  }

  private static func measure(
    _ bench: Bench, _ peer: Peer, _ tree: String
  ) throws -> Findings {
    try bench.place { place in
      let source = "\(place)/from"
      try Child.run("cp", "-a", tree, source)
      return try peer.play(
        Play(source: source, target: "\(place)/to", place: place, samples: bench.samples))
    }
  }

  private static func cairn(_ bench: Bench, _ tree: String) throws -> Findings {
    try bench.world { world in
      let (ana, bob) = (world.ana, world.bob)
      try Child.run("cp", "-a", tree, ana.folder)
      let before = try ana.daemon().processor + bob.daemon().processor
      let began = now()
      try world.share(with: [bob])
      try world.settle()
      let seconds = now() - began
      let after = try ana.daemon().processor + bob.daemon().processor
      let play = Play(
        source: ana.folder, target: bob.folder, place: world.path, samples: bench.samples)
      return Findings(mirror: seconds, processor: after - before, drops: try play.drops())
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
