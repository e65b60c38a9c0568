import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

/// File systems in user space make inode numbers up: they change with a rename, or when the kernel
/// has forgotten a name. Both sides must still come to the same tree.
@Suite struct InodeHintTests {
  /// The disks: with and without the calls that a file system in user space lacks.
  static let disks: [(FailingDisk.Inodes, Bool)] = [
    (.byPath, true), (.byPath, false), (.forgotten, true), (.forgotten, false),
  ]

  private func world(_ inodes: FailingDisk.Inodes, _ isRich: Bool) throws -> HostileWorld {
    try HostileWorld(
      disk: FailingDisk(
        swaps: isRich, refusesTakenNames: isRich, limits: FailingDisk.Limits(inodes: inodes)))
  }

  /// Expects that nothing waits, and that scans find nothing to send.
  private func expectQuiet(
    _ world: HostileWorld, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = world.bob.header.sequence
    for _ in 0..<3 {
      #expect(try world.lookAgain().isEmpty, sourceLocation: sourceLocation)
      #expect(try world.waiting() == [:], sourceLocation: sourceLocation)
    }
    #expect(
      world.bob.header.sequence == before, "nobody changed anything",
      sourceLocation: sourceLocation)
    let copies = world.happenings().filter { if case .conflict = $0 { true } else { false } }
    #expect(copies.isEmpty, sourceLocation: sourceLocation)
  }

  @Test(arguments: disks)
  func `changes of others arrive, and nothing is sent back`(
    inodes: FailingDisk.Inodes, isRich: Bool
  ) throws {
    let world = try world(inodes, isRich)
    let (top, inner) = (try HostileWorld.directory("top"), RecordID.random())
    let file = try HostileWorld.file("file", world.mallory, "one", in: top.id)
    try world.play([top, try HostileWorld.directory("inner", in: top.id, id: inner), file])
    #expect(try world.tree() == ["top": "dir", "top/inner": "dir", "top/file": "one"])
    try expectQuiet(world)
    // Bytes, attributes, a rename of the file, and of the directory above it.
    var edit = try HostileWorld.file("file", world.mallory, "another", in: top.id, modified: 2)
    edit.id = file.id
    edit.act = .update
    try world.play([edit])
    #expect(try world.tree()["top/file"] == "another")
    try expectQuiet(world)
    try world.play([
      RecordChange(id: file.id, act: .update, place: try HostileWorld.place(inner, "moved")),
      RecordChange(id: top.id, act: .update, place: try HostileWorld.place(.root, "renamed")),
    ])
    #expect(
      try world.tree()
        == ["renamed": "dir", "renamed/inner": "dir", "renamed/inner/moved": "another"])
    try expectQuiet(world)
    try world.play([RecordChange(id: file.id, act: .delete)])
    #expect(try world.tree() == ["renamed": "dir", "renamed/inner": "dir"])
    try expectQuiet(world)
    try world.play([
      RecordChange(id: inner, act: .delete), RecordChange(id: top.id, act: .delete),
    ])
    #expect(try world.tree() == [:])
    try expectQuiet(world)
  }

  @Test(arguments: disks)
  func `own changes are sent once, and a renamed entry keeps its record`(
    inodes: FailingDisk.Inodes, isRich: Bool
  ) throws {
    let world = try world(inodes, isRich)
    let files = FileManager.default
    try files.createDirectory(atPath: "\(world.folder)/d", withIntermediateDirectories: true)
    try Data("text".utf8).write(to: URL(filePath: "\(world.folder)/d/f"))
    try Data("other".utf8).write(to: URL(filePath: "\(world.folder)/d/g"))
    try world.lookAgain()
    try expectQuiet(world)
    try world.mallory.pull()
    func record(_ path: [String]) throws -> RecordID? {
      try world.mallory.read { view in
        var found: RecordID? = .root
        for name in path {
          guard let parent = found, let name = FileName(name) else { return nil }
          found = try view.child(of: parent, named: name)
        }
        return found
      }
    }
    let (directory, file) = (try record(["d"]), try record(["d", "f"]))
    #expect(directory != nil && file != nil)
    #expect(rename("\(world.folder)/d", "\(world.folder)/e") == 0)
    try world.lookAgain()
    try expectQuiet(world)
    #expect(rename("\(world.folder)/e/f", "\(world.folder)/e/h") == 0)
    try Data("edited".utf8).write(to: URL(filePath: "\(world.folder)/e/g"))
    try world.lookAgain()
    try expectQuiet(world)
    try world.mallory.pull()
    #expect(try record(["d"]) == nil)
    #expect(try record(["e"]) == directory)
    #expect(try record(["e", "h"]) == file)
    try expectQuiet(world)
    // An index that was lost finds the same.
    try world.restart(withNewIndex: true)
    try expectQuiet(world)
  }

  @Test(arguments: disks)
  func `renamed directories that look like each other have what is in them`(
    inodes: FailingDisk.Inodes, isRich: Bool
  ) throws {
    let world = try world(inodes, isRich)
    for name in ["a", "b"] {
      let inner = "\(world.folder)/\(name)/inner"
      try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
      try Data(name.utf8).write(to: URL(filePath: "\(inner)/of \(name)"))
      try Data(name.utf8).write(to: URL(filePath: "\(world.folder)/\(name)/beside \(name)"))
    }
    func time(_ name: String, _ date: Int) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(date))],
        ofItemAtPath: "\(world.folder)/\(name)")
    }
    for name in ["a", "b"] { try time("\(name)/inner", 5) }
    try time("a", 10)
    try time("b", 20)
    try world.lookAgain()
    try expectQuiet(world)
    // Each looks like the other one did, and nothing is said about the names in them.
    for (old, new, date) in [("a", "c", 20), ("b", "d", 10)] {
      try #require(rename("\(world.folder)/\(old)", "\(world.folder)/\(new)") == 0)
      try time(new, date)
    }
    for name in ["a", "b", "c", "d"] { world.hint(name) }
    try world.settle()
    try world.wait()
    try world.mallory.pull()
    for (place, name) in [("c", "a"), ("d", "b")] {
      for path in ["beside \(name)", "inner/of \(name)"] {
        let names = try (place + "/" + path).split(separator: "/").map {
          try #require(FileName(Array($0.utf8)))
        }
        let found = try world.mallory.read { view in
          try names.reduce(RecordID.root as RecordID?) { parent, name in
            try parent.flatMap { try view.child(of: $0, named: name) }
          }
        }
        #expect(found != nil, "\(place)/\(path)")
      }
    }
    try expectQuiet(world)
  }

  @Test(arguments: disks)
  func `an edit, a rename and a deletion by others meet one's own edit without a flood`(
    inodes: FailingDisk.Inodes, isRich: Bool
  ) throws {
    let world = try world(inodes, isRich)
    let file = try HostileWorld.file("file", world.mallory, "one")
    try world.play([file])
    for round in 0..<3 {
      try Data("bob \(round)".utf8).write(to: URL(filePath: "\(world.folder)/file"))
      var edit = try HostileWorld.file(
        "file", world.mallory, "mallory \(round)", modified: Int64(round) + 5)
      edit.id = file.id
      edit.act = .update
      world.hintEverything()
      try world.play([edit])
      try world.lookAgain()
    }
    try world.play([RecordChange(id: file.id, act: .delete)])
    let tree = try world.tree()
    #expect(tree.values.filter { $0.hasPrefix("bob") }.sorted() == ["bob 0", "bob 1", "bob 2"])
    #expect(tree.count <= 4, "\(tree.keys)")
    _ = world.happenings()
    try expectQuiet(world)
  }

  @Test func `a trial tells what a file system doesn't keep`() throws {
    let path = NSTemporaryDirectory() + "cairn-trial-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { unlink(path); rmdir(path) }
    func traits(_ disk: any Disk) throws -> FileSystemTraits {
      try FileSystemTraits.probe(
        in: Descriptor.openRoot(Array(path.utf8), on: disk), isThorough: true)
    }
    let real = try traits(FailingDisk())
    #expect(real.keepsInodes && real.keepsTimes && real.keepsDirectoryTimes && real.hasLinks)
    #expect(try !traits(FailingDisk(limits: .init(inodes: .byPath))).keepsInodes)
    #expect(try !traits(FailingDisk(limits: .init(inodes: .forgotten))).keepsInodes)
    #expect(try !traits(FailingDisk(swaps: false)).swapsNames)
    #expect(try !traits(FailingDisk(limits: .init(hasNoTimes: true))).keepsTimes)
    let dropped = try traits(FailingDisk(limits: .init(dropsDirectoryTimes: true)))
    #expect(dropped.keepsTimes && !dropped.keepsDirectoryTimes && dropped.notes.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }
}
