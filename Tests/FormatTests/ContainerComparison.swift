import CairnIndex
import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Replays all zones of a home's account with a separate index, and compares them with the results
/// of the independent reader.
struct ContainerComparison {
  let home: String
  let container: String

  /// The output of `Tests/Format/run read`.
  private struct Reading: Decodable {
    var zones: [Zone]
    var problems: [String: String]

    struct Zone: Decodable {
      var state: StateReport
      var held: String?
      /// The checkpoint that the reader began with, and the versions in its snapshot.
      var floor: UInt64?
      var past: [String]
      var unreadable: [String]
    }
  }

  /// - Returns: The number of zones, and the differences.
  func run() throws -> (zones: Int, differences: [String]) {
    let output = try PythonReader().run("read", home, container)
    let reading = try JSONDecoder().decode(Reading.self, from: Data(output.utf8))
    var differences = reading.problems.values.sorted() + reading.zones.flatMap(\.unreadable)
    let container = try open()
    for zone in reading.zones {
      let id = ZoneID(try #require(unhex(zone.state.zone).flatMap { Bytes32($0) }))
      guard let own = try container.zone(id) else {
        differences.append("zone \(id) isn't there")
        continue
      }
      // One that is held stops by an error: how far it came is compared.
      var error: CloudError?
      do { _ = try own.pull() } catch let stopped as CloudError { error = stopped }
      let parts = try StateReport(own).differences(from: zone.state)
      if !parts.isEmpty {
        differences += ["Cairn: \(error?.description ?? "no error"), the other: \(zone.held ?? "")"]
      }
      differences += parts
      if let floor = zone.floor {
        let past = try Self.past(of: own, upTo: floor)
        if past != zone.past { differences.append("past: \(past) and not \(zone.past)") }
      }
    }
    return (reading.zones.count, differences)
  }

  /// The versions that ended up to a floor, in the form that the other reader prints.
  private static func past(of zone: CairnReplica.Zone, upTo floor: UInt64) throws -> [String] {
    try zone.exclusively { replica in
      try replica.index.read { db in
        let state = try IndexedZone(db, zone: zone.id, header: replica.header)
        var query = try state.rows.query(
          "SELECT id, changed, ended, ending, content FROM past WHERE zone = ? AND ended <= ?")
        query.bind(Int64(floor))
        var found: [String] = []
        while try query.next() {
          let (id, content) = (hex(query.bytes(0) ?? []), hex(query.bytes(4) ?? []))
          let (changed, ended) = (query.integer(1), query.integer(2))
          found.append("\(id) \(changed) \(ended) \(query.integer(3) + 1) \(content)")
        }
        return found.sorted()
      }
    }
  }

  private func open() throws -> Container {
    let index = home + "-index"
    try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: true)
    let store = DirectoryStore(root: container)
    let root = try #require(try ContainerFile.root(of: store))
    return try Container(
      store: store, id: root.id, account: try Account.load(home + "/keys/account"),
      indexFolder: index, root: root)
  }
}

extension StateReport {
  /// The state of a zone in Cairn's index.
  fileprivate init(_ zone: CairnReplica.Zone) throws {
    self = try zone.exclusively { replica in
      try replica.index.read { db in
        try StateReport(IndexedZone(db, zone: zone.id, header: replica.header))
      }
    }
  }
}
