import CairnCloud
import Glibc

/// A program that saves records through a daemon until it is ended. For each acknowledged change it
/// prints a line: `saved ID`, or `counted`. It uses the zone of somebody else once it has joined
/// one.
@main struct Writer {
  static func main() async {
    let words = CommandLine.arguments
    guard words.count >= 5 else { exit(64) }
    let (name, secrets, zone) = (words[2], words[3], words[4])
    do throws(CloudError) {
      let program = Program(name, zones: [zone], sharing: true, secrets: secrets)
      let cloud = try await CloudContainer.open(program)
      if words[1] == "join" { return try await join(cloud) }
      let zone = try await Self.zone(named: zone, in: cloud)
      switch words[1] {
      case "ask": break
      case "share": try await share(zone, with: Array(words[5...]), cloud)
      case "write": try await write(zone)
      default: try await list(zone)
      }
    } catch {
      say("\(error)", to: STDERR_FILENO)
      exit(1)
    }
  }

  static func zone(
    named name: String, in cloud: CloudContainer
  ) async throws(CloudError) -> CloudZone {
    if let joined = try await cloud.sharedDatabase.zones().first { return joined }
    return try await cloud.privateDatabase.zone(named: name)
  }

  static func share(
    _ zone: CloudZone, with handles: [String], _ cloud: CloudContainer
  ) async throws(CloudError) {
    try await zone.share(title: zone.name)
    for handle in handles {
      guard let person = try await cloud.person(handle) else {
        throw CloudError(.unknownItem, "nobody is called \(handle)")
      }
      try await zone.invite([person], .readWrite)
    }
  }

  static func join(_ cloud: CloudContainer) async throws(CloudError) {
    for invitation in try await cloud.invitations() { _ = try await cloud.accept(invitation) }
  }

  static func write(_ zone: CloudZone) async throws(CloudError) {
    while true {
      let record = CloudRecord("Line")
      _ = try await zone.modify(saving: [record])
      say("saved \(record.id)")
      try await zone.modify { draft throws(CloudError) in
        let counter = try draft.records(CloudQuery("Counter")).first
        var next = counter ?? CloudRecord("Counter", id: Self.counter)
        next["count"] = .integer((next["count"]?.int ?? 0) + 1)
        draft.save(next)
      }
      say("counted")
    }
  }

  /// The only counter: two processes that create it create the same record.
  static let counter = RecordID("00000000-0000-4000-8000-000000000001") ?? .random()

  /// Prints the records, and the counter.
  static func list(_ zone: CloudZone) async throws(CloudError) {
    for record in try await zone.records(CloudQuery("Line")).records { say("saved \(record.id)") }
    for record in try await zone.records(CloudQuery("Counter")).records {
      say("count \(record["count"]?.int ?? 0)")
    }
  }

  /// Prints a line. It is the acknowledgement, so it may not wait in a buffer.
  static func say(_ line: String, to descriptor: CInt = STDOUT_FILENO) {
    let bytes = Array((line + "\n").utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { exit(1) }
  }
}
