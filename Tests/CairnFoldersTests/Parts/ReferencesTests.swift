import CairnPlan
import CairnStore
import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnCloud
@testable import CairnFolders

/// A directory of a mount that gets a zone and a mount of its own: who is told, what is left out,
/// and what the folder and the index hold afterwards.
struct ReferencesTests {
  /// Ana's folder, which holds `d/a` and `d/b`.
  private final class OwnFolder {
    let root = NSTemporaryDirectory() + "cairn-references-\(UUID())"
    let container: Container
    let zone: Zone
    private(set) var engine: MountEngine
    let nested: OtherMounts
    private let store = MemoryStore()
    private let id: ContainerID
    private let clock = Clock()

    var folder: String { root + "/folder" }

    init() throws {
      try FileManager.default.createDirectory(
        atPath: root + "/folder/d", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        atPath: root + "/bob", withIntermediateDirectories: true)
      id = try Container.make(in: store, note: "").id
      let account = try IdentityLog.begin(
        handle: "ana", name: "Ana", deviceName: "desk", time: 1
      ).account
      try People(store: store).publish(account)
      container = try Container(store: store, id: id, account: account, indexFolder: root)
      zone = try container.privateDatabase.createZone(named: "Ana's")
      try MountMark.claim(Array("\(root)/folder".utf8), for: ZonePart(zone.id))
      engine = try Self.engine(zone, root, "folders.sqlite", clock)
      nested = OtherMounts(container)
      engine.nested = nested
      try engine.attach()
      for name in ["a", "b"] {
        try Data(name.utf8).write(to: URL(filePath: "\(root)/folder/d/\(name)"))
      }
      try lookAgain()
    }

    private static func engine(
      _ zone: Zone, _ root: String, _ index: String, _ clock: Clock
    ) throws -> MountEngine {
      MountEngine(
        zone: zone, path: Array("\(root)/folder".utf8),
        index: try FolderIndex(path: "\(root)/\(index)"),
        settings: MountEngine.Settings(handle: "ana", host: "desk", token: "t", boot: "first"),
        clock: clock, disk: SystemDisk())
    }

    /// The engine starts again, with an index that knows nothing.
    func restartWithNewIndex() throws {
      engine = try Self.engine(zone, root, "new.sqlite", clock)
      engine.nested = nested
      try engine.attach()
    }

    // In the temporary folder.
    deinit { try? FileManager.default.removeItem(atPath: root) }

    func settle() throws {
      engine.hintZone()
      for _ in 0..<200 { guard case .more = try engine.turn() else { return } }
      Issue.record("the engine goes on and on")
    }

    /// The engine looks at all of the folder, and what waited has waited.
    func lookAgain() throws {
      for _ in 0..<2 {
        engine.hintEverything()
        try settle()
        clock.advance()
      }
    }

    func place(_ name: String) throws -> Place {
      Place(parent: .root, name: try #require(FileName(name)))
    }

    func record(_ name: String) throws -> Record? {
      try zone.read { view in
        try view.child(of: .root, named: place(name).name).flatMap { try view.record($0) }
      }
    }

    /// What the index has of the record.
    func node(_ id: RecordID) throws -> NodeRow? { try engine.state.read { try $0.node(id) } }

    /// Gives `d` a zone of its own.
    func nest() throws -> Nesting {
      try #require(
        try engine.nest([Array("d".utf8)], into: .new(title: "D", isShared: true)).first)
    }

    /// The zone as somebody has it who was let in and may write.
    func guest() throws -> Zone {
      let account = try IdentityLog.begin(
        handle: "bob", name: "Bob", deviceName: "desk", time: 1
      ).account
      try People(store: store).publish(account)
      let his = try Container(store: store, id: id, account: account, indexFolder: root + "/bob")
      _ = try container.sharing.share(zone, title: "Ana's")
      _ = try container.sharing.invite(account.user, to: zone, permission: .readWrite)
      return try his.participation.accept(zone.id)
    }

    /// Shares `d` and `e` together.
    func nestTogether() throws -> [Nesting] {
      let paths = ["d", "e"].map { Array($0.utf8) }
      return try engine.nest(paths, into: .new(title: "Both", isShared: true))
    }
  }

  private final class Clock: MountClock {
    private let time = Mutex<Int64>(0)
    var now: Int64 { time.withLock { $0 } }
    var date: Int64 { 0 }
    var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) { (2026, 11, 23, 9, 0) }
    func advance() { time.withLock { $0 += 60 * .second } }
  }

  /// The other mounts of this device, which write down what they are told.
  private final class OtherMounts: NestedMounts {
    private struct Told {
      var paths: [ZonePart: String] = [:]
      var mirrored: [String] = []
      var forgotten: [ZonePart] = []
    }
    private let container: Container
    private let told = Mutex(Told())

    init(_ container: Container) { self.container = container }

    var mirrored: [String] { told.withLock { $0.mirrored } }
    var forgotten: [ZonePart] { told.withLock { $0.forgotten } }

    func nesting(of part: ZonePart) throws -> Nesting? { try container.nestings.nesting(of: part) }
    func nest(_ items: [Nestling], of zone: Zone, into target: NestingTarget) throws -> [Nesting] {
      try container.nestings.nest(items, of: zone, into: target)
    }
    func isBack(_ part: ZonePart) throws -> Bool { try container.nestings.nesting(of: part) == nil }
    func isGone(_ part: ZonePart) throws -> Bool {
      try container.zone(part.zone)?.read { try $0.record(part.base) == nil } ?? false
    }
    func isDeleted(_ part: ZonePart) throws -> Bool {
      try container.zone(part.zone)?.read { view in
        try view.record(part.base) == nil && view.deletion(of: part.base) != nil
      } ?? false
    }
    func deleteFile(_ part: ZonePart) throws -> Bool {
      try container.zone(part.zone)?.save([RecordChange(id: part.base, act: .delete)])
      return true
    }
    func release(_ part: ZonePart) throws {
      try container.nestings.nesting(of: part).map { try container.nestings.release($0) }
    }
    func path(of part: ZonePart) -> [UInt8]? {
      told.withLock { $0.paths[part].map { Array($0.utf8) } }
    }
    func mirror(_ part: ZonePart, at path: [UInt8], isFile: Bool) {
      told.withLock {
        let path = String(decoding: path, as: UTF8.self)
        $0.paths[part] = path
        $0.mirrored.append(path)
      }
    }
    func askOuter(of part: ZonePart) {}
    func lookAgain(at part: ZonePart) {}
    func pause(_ part: ZonePart) {}
    func follow(_ record: RecordID, from other: ZoneID, to zone: Zone) -> Zone? { nil }
    func forget(_ part: ZonePart) { told.withLock { $0.forgotten.append(part) } }
  }

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

  @Test func `what went to a zone of its own isn't deleted, and its copy stays`() throws {
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

  @Test func `a folder that isn't there is neither deleted nor mirrored elsewhere`() throws {
    let ana = try OwnFolder()
    let nesting = try ana.nest()
    let sequence = ana.zone.header.sequence
    try FileManager.default.moveItem(atPath: "\(ana.folder)/d", toPath: "\(ana.root)/away")
    try ana.lookAgain()
    #expect(try ana.record("d")?.id == nesting.reference && ana.zone.header.sequence == sequence)
    #expect(ana.nested.mirrored == ["\(ana.folder)/d"] && ana.nested.forgotten.isEmpty)
  }

  @Test func `what comes back into the zone is an ordinary directory again`() throws {
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

  @Test func `several go over to mounts of one zone, a file among them`() throws {
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
    #expect(try ana.node(file)?.local != nil && ana.record("e")?.id == file)
    #expect(ana.zone.header.sequence == sequence, "nothing is sent again")
    let left = try FileManager.default.contentsOfDirectory(atPath: ana.folder)
    #expect(Set(left) == [".cairn", "d", "e"], "their own folders are gone")
  }

  @Test func `a part that others deleted from the share keeps its files when it comes back`()
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

  @Test func `what a guest calls a reference leads nowhere, and holds nobody up`() throws {
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
