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

/// Ana's folder, which holds `d/a` and `d/b`.
final class OwnFolder {
  let root = NSTemporaryDirectory() + "cairn-references-\(UUID())"
  let container: Container
  let zone: Zone
  private(set) var engine: MountEngine
  let nested: OtherMounts
  private let store = MemoryStore()
  private let id: ContainerID
  private let clock = Clock()

  final class Clock: MountClock {
    private let time = Mutex<Int64>(0)
    var now: Int64 { time.withLock { $0 } }
    var date: Int64 { 0 }
    var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) { (2026, 11, 23, 9, 0) }
    func advance() { time.withLock { $0 += 60 * .second } }
  }

  /// The other mounts of this device, which write down what they are told.
  final class OtherMounts: NestedMounts {
    private struct Told {
      var paths: [ZonePart: String] = [:]
      var mirrored: [String] = []
      var forgotten: [ZonePart] = []
      var acts: [String] = []
      var end: End?
    }

    /// The end of the process while a part is forgotten.
    struct End: Error {}

    /// Lets the next call of `forget` end the process, as far as a test can.
    func endOnce() { told.withLock { $0.end = End() } }

    private let container: Container
    private let told = Mutex(Told())

    init(_ container: Container) { self.container = container }

    var mirrored: [String] { told.withLock { $0.mirrored } }
    var forgotten: [ZonePart] { told.withLock { $0.forgotten } }
    var acts: [String] { told.withLock { $0.acts } }

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
    func left(_ part: ZonePart) throws -> (zone: Zone?, isReadThrough: Bool) {
      try container.returning.left(part.zone)
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
    func pause(_ part: ZonePart) {
      told.withLock {
        $0.paths[part] = nil
        $0.acts.append("pause")
      }
    }
    func follow(_ record: RecordID, from other: ZoneID, to zone: Zone) -> Zone? { nil }
    func forget(_ part: ZonePart) throws {
      try told.withLock {
        if let end = $0.end.take() { throw end }
        $0.forgotten.append(part)
        $0.acts.append("forget")
      }
    }
  }

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
      settings: MountSettings(handle: "ana", host: "desk", token: "t", boot: "first"),
      clock: clock, disk: SystemDisk())
  }

  /// The engine starts again, with an index that knows nothing.
  func restartWithNewIndex() throws { try restart("new.sqlite") }

  /// The engine starts again, with its own index or another one.
  func restart(_ index: String = "folders.sqlite") throws {
    engine = try Self.engine(zone, root, index, clock)
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

  /// The mount that takes over at a reference, in the same index.
  func mount(_ nesting: Nesting, _ name: String) throws -> MountEngine {
    let zone = try #require(try container.zone(nesting.part.zone))
    let only = nesting.isFile ? try place(name).name : nil
    let path = nesting.isFile ? folder : "\(folder)/\(name)"
    let inner = MountEngine(
      zone: zone, scope: MountScope(base: nesting.part.base, only: only), path: Array(path.utf8),
      index: engine.state.index,
      settings: MountSettings(handle: "ana", host: "desk", token: "u", boot: "first"),
      clock: clock, disk: SystemDisk())
    try inner.attach()
    try settle(inner)
    return inner
  }

  /// Lets an engine scan all of its folder and send everything, or receive it.
  func settle(_ other: MountEngine) throws {
    for _ in 0..<3 {
      other.hintEverything()
      other.hintZone()
      for _ in 0..<200 { guard case .more = try other.turn() else { break } }
      clock.advance()
    }
  }

  /// The container as another device of Ana's has it open.
  func elsewhere() throws -> Container {
    try FileManager.default.createDirectory(
      atPath: root + "/elsewhere", withIntermediateDirectories: true)
    return try Container(
      store: store, id: id, account: container.account, indexFolder: root + "/elsewhere")
  }

  /// The paths and texts of all files of the zone.
  func texts() throws -> [String: String] {
    try zone.pull()
    let records = try zone.read { view in
      var found: [String: Record] = [:]
      var next = try view.children(of: .root).map { ("", $0) }
      while let (path, id) = next.popLast() {
        guard let record = try view.record(id), let name = record.place?.name else { continue }
        next += try view.children(of: id).map { ("\(path)\(name)/", $0) }
        if record.type == .file { found["\(path)\(name)"] = record }
      }
      return found
    }
    return try records.compactMapValues { record in
      guard let content = record.content else { return nil }
      var bytes: [UInt8] = []
      try zone.readContent(content) { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The paths and texts of all files of the folder, except Cairn's own.
  func textsOnDisk() throws -> [String: String] {
    var found: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where !path.contains(".cairn") {
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isDirectory)
      if isDirectory.boolValue { continue }
      found[path] = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
    }
    return found
  }

  func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path)"))
  }

  /// The zone as somebody has it who was let in and may write.
  func guest() throws -> Zone { try guest(of: zone) }

  /// A zone of Ana's as somebody has it who was let in and may write.
  func guest(of zone: Zone) throws -> Zone {
    let account = try IdentityLog.begin(
      handle: "bob", name: "Bob", deviceName: "desk", time: 1
    ).account
    try People(store: store).publish(account)
    let his = try Container(store: store, id: id, account: account, indexFolder: root + "/bob")
    if zone.header.share == nil { _ = try container.sharing.share(zone, title: "Ana's") }
    _ = try container.sharing.invite(account.user, to: zone, permission: .readWrite)
    return try his.participation.accept(zone.id)
  }

  /// Shares `d` and `e` together.
  func nestTogether() throws -> [Nesting] {
    let paths = ["d", "e"].map { Array($0.utf8) }
    return try engine.nest(paths, into: .new(title: "Both", isShared: true))
  }
}
