import CairnCloud
import Glibc

/// A program that saves records through a daemon until it is ended. For each acknowledged change it
/// prints a line: `saved ID`, or `counted`.
@main struct Writer {
  static func main() async {
    let words = CommandLine.arguments
    guard words.count == 5 else { exit(64) }
    let (name, secrets, zone) = (words[2], words[3], words[4])
    do throws(CloudError) {
      let program = Program(name, zones: [zone], secrets: secrets)
      let cloud = try await CloudContainer.open(program)
      let zone = try await cloud.privateDatabase.zone(named: zone)
      switch words[1] {
      case "ask": break
      case "write": try await write(zone)
      default: try await list(zone)
      }
    } catch {
      say("\(error)", to: STDERR_FILENO)
      exit(1)
    }
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
