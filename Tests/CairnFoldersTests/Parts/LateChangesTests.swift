import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnFolders
@testable import CairnReplica

/// Changes that a device sends to a nested share after another device has read it for its end.
struct LateChangesTests {
  /// The steps of the other device before this device learns of the end.
  enum End: CaseIterable {
    /// It was interrupted before it removed the zone.
    case returned
    /// It removed everything: nobody else could ever read the zone.
    case dropped
    /// It kept the zone for its readers.
    case kept
  }

  private func end(
    _ nestings: [Nesting], _ end: End, of ana: OwnFolder, before late: () throws -> Void
  ) throws {
    let other = try ana.elsewhere()
    try other.refresh()
    let zone = try #require(try other.zone(nestings[0].part.zone))
    try zone.pull()
    _ = try zone.changeShare([.stop])
    try other.returning.bringBack(nestings)
    if end == .returned { return try late() }
    try other.returning.drop(nestings, hadReaders: end == .kept)
    try late()
  }

  @Test(arguments: End.allCases)
  func `a new file, an edit, a move and a deletion are sent again`(_ end: End) throws {
    let ana = try OwnFolder()
    for name in ["c", "e"] { try ana.write(name, "d/\(name)") }
    try ana.lookAgain()
    let nesting = try ana.nest()
    let inner = try ana.mount(nesting, "d")
    try ana.write("B", "d/b")
    try ana.settle(inner)
    try self.end([nesting], end, of: ana) {
      let sequence = inner.zone.header.sequence
      try ana.write("A", "d/a")
      try FileManager.default.createDirectory(
        atPath: "\(ana.folder)/d/n", withIntermediateDirectories: false)
      try ana.write("new", "d/n/new")
      try FileManager.default.moveItem(atPath: "\(ana.folder)/d/c", toPath: "\(ana.folder)/d/C")
      try FileManager.default.removeItem(atPath: "\(ana.folder)/d/e")
      if end == .returned {
        try ana.settle(inner)
        #expect(inner.zone.header.sequence > sequence, "the changes are in the zone that ends")
      } else {
        // The commits may be refused by now.
        do { try ana.settle(inner) } catch {}
      }
    }
    try ana.engine.takeBackReferences()
    try ana.lookAgain()
    let expected = ["d/a": "A", "d/b": "B", "d/C": "c", "d/n/new": "new"]
    let (disk, zone) = (try ana.textsOnDisk(), try ana.texts())
    #expect(disk == expected)
    #expect(zone == expected)
  }

  @Test(arguments: [End.returned, .kept])
  func `the state of a device that is behind is no change`(_ end: End) throws {
    let ana = try OwnFolder()
    let nesting = try ana.nest()
    let inner = try ana.mount(nesting, "d")
    for name in ["late", "gone"] { try ana.write(name, "d/\(name)") }
    try ana.write("first", "d/a")
    try ana.settle(inner)
    let bob = try ana.guest(of: inner.zone)
    let changes = try bob.read { view in
      try ["a", "late", "gone", "b"].map { name in
        let name = try #require(FileName(name))
        return (name, try #require(try view.child(of: .root, named: name)))
      }
    }
    try bob.save([
      RecordChange(id: changes[0].1, act: .update, content: bob.ingest("Bob")),
      RecordChange(id: changes[1].1, act: .update, content: bob.ingest("Bob, too")),
      RecordChange(id: changes[2].1, act: .delete),
      RecordChange(
        id: changes[3].1, act: .update,
        place: Place(parent: .root, name: try #require(FileName("B")))),
    ])
    try self.end([nesting], end, of: ana) {}
    try ana.engine.takeBackReferences()
    try ana.lookAgain()
    let expected = ["d/a": "Bob", "d/late": "Bob, too", "d/B": "b"]
    let (disk, zone) = (try ana.textsOnDisk(), try ana.texts())
    #expect(disk == expected)
    #expect(zone == expected)
  }

  @Test(arguments: End.allCases)
  func `the parts of a share keep late changes, each in its place`(_ end: End) throws {
    let ana = try OwnFolder()
    try ana.write("e", "e")
    try ana.lookAgain()
    let paths = ["d", "e"].map { Array($0.utf8) }
    let nestings = try ana.engine.nest(paths, into: .new(title: "Both", isShared: true))
    let inner = try zip(nestings, ["d", "e"]).map { try ana.mount($0, $1) }
    try self.end(nestings, end, of: ana) {
      try ana.write("new", "d/new")
      try ana.write("E", "e")
      for mount in inner { do { try ana.settle(mount) } catch { #expect(end != .returned) } }
    }
    try ana.engine.takeBackReferences()
    try ana.lookAgain()
    let expected = ["d/a": "a", "d/b": "b", "d/new": "new", "e": "E"]
    let (disk, zone) = (try ana.textsOnDisk(), try ana.texts())
    #expect(disk == expected)
    #expect(zone == expected)
  }
}

extension Zone {
  fileprivate func ingest(_ text: String) throws -> Content {
    var rest = Array(text.utf8)[...]
    return try ingest { room in
      let count = min(room.count, rest.count)
      room.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
  }
}
