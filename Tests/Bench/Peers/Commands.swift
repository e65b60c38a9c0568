import Glibc

/// Peers that run once and end. Peers that need a place between the folders use one.
enum Commands {
  /// Unison, from folder to folder.
  static func unison(_ play: PeerCases.Play) throws -> PeerCases.Findings {
    let cost = try play.run([
      "unison", "-batch", "-auto", "-silent", "-times", "-confirmbigdel=false", play.source,
      play.target,
    ])
    try PeerCases.checkSame(play.source, play.target)
    return PeerCases.Findings(mirror: cost.seconds, processor: cost.processor)
  }

  /// rclone, into the place between and out of it.
  static func rclone(_ play: PeerCases.Play) throws -> PeerCases.Findings {
    let between = "\(play.place)/between"
    func sync(_ from: String, _ to: String) throws -> Child.Cost {
      try play.run([
        "rclone", "sync", "--config", "/dev/null", "--links", "--create-empty-src-dirs", from, to,
      ])
    }
    let costs = [try sync(play.source, between), try sync(between, play.target)]
    try PeerCases.checkSame(play.source, play.target)
    return sum(costs)
  }

  /// restic, into an encrypted repository and out of it.
  static func restic(_ play: PeerCases.Play) throws -> PeerCases.Findings {
    let words = ["restic", "--no-cache", "-q", "-r", "\(play.place)/repository"]
    _ = try play.run(words + ["init"])
    let costs = [
      try play.run(words + ["backup", play.source]),
      try play.run(words + ["restore", "latest", "--target", play.target]),
    ]
    try PeerCases.checkSame(play.source, play.target + play.source)
    return sum(costs)
  }

  private static func sum(_ costs: [Child.Cost]) -> PeerCases.Findings {
    PeerCases.Findings(
      mirror: costs.map(\.seconds).reduce(0, +), processor: costs.map(\.processor).reduce(0, +))
  }
}

/// lsyncd: watches a folder, and calls rsync for changed files.
enum Lsyncd {
  static func play(_ play: PeerCases.Play) throws -> PeerCases.Findings {
    let configuration = "\(play.place)/lsyncd.lua"
    let text = """
      settings { nodaemon = true, logfile = "\(play.place)/log" }
      sync { default.rsync, source = "\(play.source)", target = "\(play.target)", delay = 0,
        rsync = { archive = true } }
      """
    try write(Array(text.utf8), to: configuration)
    mkdir(play.target, 0o755)
    let began = now()
    let daemon = try Child(["lsyncd", configuration], environment: play.environment)
    do {
      try PeerCases.wait(for: play.source, at: play.target)
      try syncFileSystem(play.place)
      let seconds = now() - began
      let drops = try play.drops()
      // The cost of its rsync processes is known once it has ended.
      let cost = daemon.stop()
      try PeerCases.checkSame(play.source, play.target)
      return PeerCases.Findings(mirror: seconds, processor: cost, drops: drops)
    } catch {
      _ = daemon.stop()
      throw error
    }
  }
}
