import BenchFigures
import CairnFolders
import CairnReplica
import CairnZone
import Glibc

/// The engine's own scan of a folder without changes: it lists every directory, and compares every
/// entry with the index. The bare equivalent is `find` with a stat of each entry.
enum ScanPart {
  private static let (directories, each) = (200, 100)

  static func play(_ bench: Bench) throws {
    try bench.place { place in
      let folder = "\(place)/folder"
      mkdir(folder, 0o755)
      for directory in 0..<directories {
        mkdir("\(folder)/\(directory)", 0o755)
        for number in 0..<each {
          try write(Array("\(number)".utf8), to: "\(folder)/\(directory)/\(number)")
        }
      }
      let entries = Double(directories * (each + 1))
      let bare = try PartCases.rates(of: entries) {
        try Child.run("find", folder, "-newermt", "@0", "-size", "+0")
      }
      let world = try PartWorld(in: place)
      let zone = try world.zone()
      let path = Array(folder.utf8)
      try MountMark.claim(path, for: ZonePart(zone.id))
      let engine = MountEngine(
        zone: zone, path: path,
        index: try FolderIndex(path: world.freshIndex() + "/folders.sqlite"),
        settings: MountSettings(handle: "ana", host: "desk", token: "1"), clock: BenchClock()
      )
      try engine.attach()
      let began = now()
      try settle(engine)
      bench.add(
        Figure(rate: "entries taken in, container in memory", "/s", [entries / (now() - began)]))
      let scans = try PartCases.rates(of: entries) { try settle(engine) }
      bench.add(Figure(rate: "entries looked at again (bare: find)", "/s", scans, bare: bare))
    }
  }

  /// Scans everything, and runs sync cycles until nothing is left to do.
  private static func settle(_ engine: MountEngine) throws {
    engine.hintEverything()
    while true {
      guard case .idle(let until) = try engine.turn() else { continue }
      if engine.isSettled { return }
      guard let until else { throw Child.Trouble(description: "the engine rests too early") }
      let left = max(0, until - BenchClock().now) / 1_000_000
      _ = poll(nil, 0, Int32(min(left, 1_000)) + 1)
    }
  }
}

/// The clock of the measurements, under a name that no member hides.
private func seconds() -> Double { now() }

/// The machine's clocks, for an engine in this process.
private struct BenchClock: MountClock {
  var now: Int64 { Int64(seconds() * 1e9) }
  var date: Int64 { Int64(time(nil)) * 1_000_000_000 }
  // The wall clock is for the names of conflict copies. There are none here.
  var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) { (2026, 1, 1, 0, 0) }
}
