import CairnPlan
import CairnZone

/// The nodes of scanned entries.
extension Matcher {
  /// Returns the latest result for each place. One wave may check a place twice, by a hint about it
  /// and by a list of its directory. Without this rule a new entry would become two nodes.
  static func latest(of sightings: [Sighting]) -> [Sighting] {
    var last: [Place: Int] = [:]
    for (number, sighting) in sightings.enumerated() { last[sighting.place] = number }
    guard last.count < sightings.count else { return sightings }
    return sightings.enumerated().filter { last[$1.place] == $0 }.map(\.element)
  }

  func attributes(_ before: NodeRow.Local, _ stat: FileStat) -> Attributes {
    before.attributes(by: stat, withMode: hasModes && stat.kind != .symlink)
  }

  func node(_ sighting: Sighting, _ stat: FileStat) throws -> Node {
    let kind: Node.Kind
    switch stat.kind {
    case .file: kind = .file(nil)
    case .symlink: kind = .symlink(sighting.target ?? [])
    case .directory: kind = .directory
    case .other: throw BrokenRule("a socket, FIFO or device is scanned as a file")
    }
    return Node(
      place: sighting.place, kind: kind,
      attributes: Attributes(
        isExecutable: stat.isExecutable, modified: stat.modified,
        mode: hasModes && stat.kind != .symlink
          ? stat.carriedMode(isExecutable: stat.isExecutable) : nil,
        extended: stat.extended.flatMap { $0.isEmpty ? nil : $0 }))
  }
}
