import Glibc

/// Other programs for one folder in two places, in the same cases as Cairn. In each figure, Cairn's
/// number of the same run is in its column, and the peer's in that of the bare equivalent. Most of
/// them make nothing durable, and none of them seals anything except restic.
enum PeerCases {
  /// One of them.
  struct Peer: Sendable {
    /// The program, as its Debian package is called, too.
    var program: String
    /// Mirrors `source` at `target`, with room of its own in `place`.
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

    /// Milliseconds that new files of 4 KiB take.
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
    /// Seconds until the whole tree was there.
    var mirror: Double
    var processor: Double
    /// Milliseconds of each drop; nil if it doesn't watch a folder.
    var drops: [Double]?
  }

  static let all = [
    Peer(program: "syncthing", play: Syncthing.play), Peer(program: "lsyncd", play: Lsyncd.play),
    Peer(program: "unison", play: Commands.unison), Peer(program: "rclone", play: Commands.rclone),
    Peer(program: "restic", play: Commands.restic),
  ]

  /// Those that are wanted, and are there.
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
        // One that doesn't work here stops no other.
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

  /// Fails unless the trees are the same, but for what the peer puts there itself.
  static func checkSame(_ one: String, _ other: String, except names: [String] = []) throws {
    let words = ["diff", "-r", "-q", "--no-dereference"] + names.map { "--exclude=\($0)" }
    try Child(words + [one, other]).end("comparing the trees")
  }

  /// Returns when as many entries are in the one folder as in the other; a peer says no better when
  /// it is done.
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

  /// Files, directories and symlinks below a folder whose names aren't those of a peer's own.
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
