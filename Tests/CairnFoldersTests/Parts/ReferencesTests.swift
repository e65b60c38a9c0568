import CairnPlan
import CairnStore
import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

/// A directory of a mount that gets a zone and a mount of its own: the notified mounts, the
/// excluded records, and the resulting folder and index.
struct ReferencesTests {
  @Test func `what gets a zone of its own goes over to another mount, and nothing is deleted`()
    throws
  {
    let ana = try OwnFolder()
    let directory = try #require(try ana.record("d")?.id)
    let nesting = try ana.nest()
    #expect(ana.nested.mirrored == ["\(ana.folder)/d"])
    #expect(ana.engine.state.references.areThere)
    #expect(ana.engine.state.scanner?.leftOut == [try ana.place("d")])
    #expect(try ana.record("d")?.id == nesting.reference)
    #expect(try ana.node(directory) == nil, "its rows are the other mount's")
    let mark = try MountMark.mark(in: #require(ana.engine.state.root), [Array("d".utf8)])
    #expect(mark == nesting.part)
    let sequence = ana.zone.header.sequence
    try Data("new".utf8).write(to: URL(filePath: "\(ana.folder)/d/c"))
    try ana.lookAgain()
    #expect(ana.zone.header.sequence == sequence, "what happens in it is none of this mount's")
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(ana.folder)/d")
    #expect(Set(names) == [".cairn", "a", "b", "c"])
  }

  @Test func `a part that went to a zone of its own isn't deleted, and its copy stays`() throws {
    let ana = try OwnFolder()
    try FileManager.default.createDirectory(
      atPath: "\(ana.folder)/e", withIntermediateDirectories: false)
    try ana.lookAgain()
    var status = stat()
    try #require(lstat("\(ana.folder)/d/a", &status) == 0)
    _ = try ana.nest()
    // The index is lost, and its person goes on: `cp -p d/a e/a; mv d f; mkdir d`.
    try FileManager.default.copyItem(atPath: "\(ana.folder)/d/a", toPath: "\(ana.folder)/e/a")
    let time = status.st_mtim
    try #require(utimensat(AT_FDCWD, "\(ana.folder)/e/a", [time, time], 0) == 0)
    try FileManager.default.moveItem(atPath: "\(ana.folder)/d", toPath: "\(ana.folder)/f")
    try FileManager.default.createDirectory(
      atPath: "\(ana.folder)/d", withIntermediateDirectories: false)
    try ana.restartWithNewIndex()
    try ana.lookAgain()
    #expect(try String(contentsOfFile: "\(ana.folder)/e/a", encoding: .utf8) == "a")
    let directory = try #require(try ana.record("e")?.id)
    #expect(try ana.zone.read { try $0.children(of: directory).count } == 1)
    #expect(try String(contentsOfFile: "\(ana.folder)/f/a", encoding: .utf8) == "a")
    var isDirectory: ObjCBool = false
    #expect(FileManager.default.fileExists(atPath: "\(ana.folder)/d", isDirectory: &isDirectory))
  }

  @Test func `a folder that its person moves takes the reference along`() throws {
    let ana = try OwnFolder()
    let nesting = try ana.nest()
    try FileManager.default.moveItem(atPath: "\(ana.folder)/d", toPath: "\(ana.folder)/e")
    try ana.lookAgain()
    #expect(try ana.record("d") == nil)
    #expect(try ana.record("e")?.id == nesting.reference)
    #expect(ana.nested.mirrored.last == "\(ana.folder)/e")
    #expect(ana.engine.state.scanner?.leftOut == [try ana.place("e")])
  }

  @Test func `a reference that another device moves takes the folder along`() throws {
    let ana = try OwnFolder()
    let nesting = try ana.nest()
    try ana.zone.save([
      RecordChange(id: nesting.reference, act: .update, place: try ana.place("e"))
    ])
    try ana.settle()
    #expect(!FileManager.default.fileExists(atPath: "\(ana.folder)/d"))
    #expect(try String(contentsOfFile: "\(ana.folder)/e/a", encoding: .utf8) == "a")
    #expect(ana.nested.mirrored.last == "\(ana.folder)/e")
  }

  @Test func `a missing folder is neither deleted nor mirrored elsewhere`() throws {
    let ana = try OwnFolder()
    let nesting = try ana.nest()
    let sequence = ana.zone.header.sequence
    try FileManager.default.moveItem(atPath: "\(ana.folder)/d", toPath: "\(ana.root)/away")
    try ana.lookAgain()
    #expect(try ana.record("d")?.id == nesting.reference && ana.zone.header.sequence == sequence)
    #expect(ana.nested.mirrored == ["\(ana.folder)/d"] && ana.nested.forgotten.isEmpty)
  }

  @Test func `a part that returns to the zone is an ordinary directory again`() throws {
    let ana = try OwnFolder()
    let directory = try #require(try ana.record("d")?.id)
    let nesting = try ana.nest()
    let root = try #require(ana.engine.state.root)
    let stat = try FileStat.of(root.openDirectory([Array("d".utf8)]))
    try ana.container.returning.bringBack([nesting], modified: [nesting.part: stat.modified])
    let sequence = ana.zone.header.sequence
    try ana.engine.takeBackReferences()
    try ana.lookAgain()
    #expect(ana.nested.forgotten == [nesting.part])
    #expect(!ana.engine.state.references.areThere)
    #expect(ana.engine.state.scanner?.leftOut.isEmpty == true)
    #expect(try ana.node(directory)?.local != nil && ana.record("d")?.id == directory)
    #expect(ana.zone.header.sequence == sequence, "nothing is sent again")
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(ana.folder)/d")
    #expect(Set(names) == ["a", "b"], "the mark is gone")
    try Data("newer".utf8).write(to: URL(filePath: "\(ana.folder)/d/a"))
    try ana.lookAgain()
    #expect(ana.zone.header.sequence == sequence + 1)
  }

  /// The ways in which a process may end after the nodes of a part came back.
  enum Interruption: CaseIterable {
    case beforeForgetting, halfCleared, movedMeanwhile, deletedMeanwhile
  }

  @Test(arguments: Interruption.allCases)
  func `the next start completes the return of a part`(interruption: Interruption) throws {
    let ana = try OwnFolder()
    let nesting = try ana.nest()
    _ = try ana.mount(nesting, "d")
    try ana.container.returning.bringBack([nesting])
    let sequence = ana.zone.header.sequence
    ana.nested.endOnce()
    #expect(throws: OwnFolder.OtherMounts.End.self) { try ana.engine.takeBackReferences() }
    let files = FileManager.default
    #expect(files.fileExists(atPath: "\(ana.folder)/d/.cairn/zone"))
    var name = "d"
    switch interruption {
    case .beforeForgetting: break
    case .halfCleared: try files.removeItem(atPath: "\(ana.folder)/d/.cairn/zone")
    case .movedMeanwhile:
      name = "moved"
      try files.moveItem(atPath: "\(ana.folder)/d", toPath: "\(ana.folder)/moved")
    case .deletedMeanwhile: try files.removeItem(atPath: "\(ana.folder)/d")
    }
    try ana.restart()
    try ana.lookAgain()
    #expect(ana.nested.forgotten == [nesting.part])
    #expect(try ana.engine.state.read { try $0.references(isBack: true) }.isEmpty)
    #expect(try ana.engine.state.index.number(of: nesting.part) == nil)
    #expect(ana.engine.report.allProblems.isEmpty)
    guard interruption != .deletedMeanwhile else {
      return #expect(try ana.texts() == [:])
    }
    let names = try files.contentsOfDirectory(atPath: "\(ana.folder)/\(name)")
    #expect(Set(names) == ["a", "b"], "the mark is gone")
    #expect(try ana.texts() == ["\(name)/a": "a", "\(name)/b": "b"])
    if name == "d" { #expect(ana.zone.header.sequence == sequence, "nothing is sent again") }
  }

  @Test func `several parts move to mounts of one zone, a file among them`() throws {
    let ana = try OwnFolder()
    try Data("e".utf8).write(to: URL(filePath: "\(ana.folder)/e"))
    try ana.lookAgain()
    let file = try #require(try ana.record("e")?.id)
    let nestings = try ana.nestTogether()
    #expect(Set(nestings.map(\.part.zone)).count == 1)
    #expect(nestings.map(\.part.isWhole) == [false, false])
    #expect(Set(ana.nested.mirrored) == ["\(ana.folder)/d", "\(ana.folder)/e"])
    #expect(ana.engine.state.scanner?.leftOut == [try ana.place("d"), try ana.place("e")])
    #expect(try ana.node(file) == nil, "its row is the other mount's")
    let inner = try #require(try ana.engine.state.index.number(of: nestings[0].part))
    let names = try ana.engine.state.index.read(inner) { tree in
      try tree.childIDs(of: .root).compactMap {
        try tree.node($0)?.local?.node.place.name.description
      }
    }
    #expect(Set(names) == ["a", "b"])
    let root = try #require(ana.engine.state.root)
    let stat = try FileStat.of(root.openDirectory([Array("d".utf8)]))
    try ana.container.returning.bringBack(nestings, modified: [nestings[0].part: stat.modified])
    let sequence = ana.zone.header.sequence
    try ana.engine.takeBackReferences()
    try ana.lookAgain()
    #expect(Set(ana.nested.forgotten) == Set(nestings.map(\.part)))
    // None of their mounts may work while another one ends: it would show the other's records.
    #expect(ana.nested.acts == ["pause", "pause", "forget", "forget"])
    #expect(try ana.node(file)?.local != nil && ana.record("e")?.id == file)
    #expect(ana.zone.header.sequence == sequence, "nothing is sent again")
    let left = try FileManager.default.contentsOfDirectory(atPath: ana.folder)
    #expect(Set(left) == [".cairn", "d", "e"], "their own folders are gone")
  }

  @Test func `a part that others deleted from the share keeps its files when it returns`()
    throws
  {
    let ana = try OwnFolder()
    try Data("e".utf8).write(to: URL(filePath: "\(ana.folder)/e"))
    try ana.lookAgain()
    let directory = try #require(try ana.record("d")?.id)
    let nestings = try ana.nestTogether()
    let zone = try #require(try ana.container.zone(nestings[0].part.zone))
    let below = try zone.read { try $0.children(of: directory) }
    try zone.save((below + [directory]).map { RecordChange(id: $0, act: .delete) })
    try ana.container.returning.bringBack(nestings)
    try ana.engine.takeBackReferences()
    try ana.lookAgain()
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(ana.folder)/d")
    #expect(Set(names) == ["a", "b"])
    let sent = try ana.zone.read { view in
      try view.children(of: directory).compactMap { try view.record($0)?.place?.name.description }
    }
    #expect(Set(sent) == ["a", "b"])
  }

  @Test func `a forged reference of a guest leads nowhere, and holds nobody up`() throws {
    let ana = try OwnFolder()
    let guest = try ana.guest()
    try guest.save([
      RecordChange(
        id: .random(), act: .create(.reference), place: ana.place("trap"),
        target: [UInt8](repeating: 7, count: 48))
    ])
    try ana.settle()
    try guest.save([
      RecordChange(id: .random(), act: .create(.directory), place: ana.place("of guest"))
    ])
    try ana.settle()
    #expect(FileManager.default.fileExists(atPath: "\(ana.folder)/of guest"))
    #expect(ana.nested.mirrored.isEmpty && ana.engine.report.allProblems.isEmpty)
  }
}
