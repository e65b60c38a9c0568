import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// Mode, group, access list and `user.*` attributes belong to this device. Others' edits leave them
/// as they are, and no received file is wider than the file before it.
struct LocalAccessTests {
  private let world: HostileWorld
  private let disk = FailingDisk()
  private let a: RecordID

  init() throws {
    world = try HostileWorld(disk: disk)
    var change = try HostileWorld.file("a", world.mallory, "one")
    change.attributes?.isExecutable = false
    a = change.id
    try world.play([change])
  }

  private func path(_ name: String) -> String { "\(world.folder)/\(name)" }

  private func status(_ name: String) throws -> stat {
    var found = stat()
    try #require(lstat(path(name), &found) == 0, "\(name): \(errno)")
    return found
  }

  private func mode(_ name: String) throws -> UInt32 { try status(name).st_mode & 0o7777 }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  /// Returns the bytes of an extended attribute, or nil if the file has none of that name.
  private func attribute(_ attribute: String, of name: String) -> [UInt8]? {
    let file = open(path(name), O_RDONLY)
    defer { close(file) }
    var value: [UInt8] = []
    return SystemDisk().attribute(Array(attribute.utf8), of: file, &value) < 0 ? nil : value
  }

  private func set(_ attribute: String, of name: String, to value: [UInt8]) throws {
    let file = open(path(name), O_RDONLY)
    defer { close(file) }
    try #require(SystemDisk().setAttribute(Array(attribute.utf8), of: file, to: value) >= 0)
  }

  /// Returns whether the file system of the tests keeps an attribute.
  private func keeps(_ attribute: String, _ value: [UInt8]) throws -> Bool {
    let trial = world.folder + "-trial"
    let file = open(trial, O_RDWR | O_CREAT, 0o600)
    defer {
      close(file)
      unlink(trial)
    }
    return SystemDisk().setAttribute(Array(attribute.utf8), of: file, to: value) >= 0
  }

  /// Returns an access list as the kernel stores it: owner, a person, group, mask, others.
  private static func list(
    owner: UInt8, person: UInt8, group: UInt8, mask: UInt8, others: UInt8
  ) -> [UInt8] {
    func entry(_ tag: UInt8, _ rights: UInt8, _ id: [UInt8] = [255, 255, 255, 255]) -> [UInt8] {
      [tag, 0, rights, 0] + id
    }
    return [2, 0, 0, 0] + entry(1, owner) + entry(2, person, [0x39, 0x30, 0, 0]) + entry(4, group)
      + entry(16, mask) + entry(32, others)
  }

  private func edit(_ text: String, isExecutable: Bool = false) throws -> RecordChange {
    var change = try HostileWorld.file("a", world.mallory, text, modified: 2)
    (change.id, change.act, change.place) = (a, .update, nil)
    change.attributes?.isExecutable = isExecutable
    return change
  }

  @Test(arguments: [0o600, 0o640, 0o604, 0o666, 0o444, 0o400, 0o660] as [UInt32])
  func `an arriving edit keeps mode and group`(mode: UInt32) throws {
    chown(path("a"), uid_t.max, 12_345)
    chmod(path("a"), mode)
    try world.lookAgain()
    try world.play([try edit("two")])
    #expect(try text("a") == "two" && self.mode("a") == mode)
    #expect(try status("a").st_gid == 12_345)
    // An executable bit is added only for people who can read the file.
    try world.play([try edit("three", isExecutable: true)])
    #expect(try self.mode("a") == mode | (mode & 0o444) >> 2)
    try world.play([try edit("four")])
    #expect(try text("a") == "four" && self.mode("a") == mode)
    #expect(try world.lookAgain().isEmpty)
    #expect(try world.mallory.read { try $0.record(a)?.attributes.isExecutable } == false)
  }

  @Test func `an executable bit that only the owner has stays the owner's`() throws {
    try world.play([try edit("two", isExecutable: true)])
    chmod(path("a"), 0o744)
    try world.lookAgain()
    try world.play([try edit("three", isExecutable: true)])
    #expect(try text("a") == "three" && mode("a") == 0o744)
  }

  @Test(arguments: [true, false])
  func `an arriving edit keeps the access list and the attributes of programs`(
    swaps: Bool
  ) throws {
    let list = Self.list(owner: 6, person: 4, group: 0, mask: 4, others: 0)
    if try keeps("system.posix_acl_access", list) {
      try set("system.posix_acl_access", of: "a", to: list)
    }
    if try keeps("user.note", [1]) { try set("user.note", of: "a", to: Array("mine".utf8)) }
    let acl = attribute("system.posix_acl_access", of: "a")
    let note = attribute("user.note", of: "a")
    let before = try mode("a")
    try world.lookAgain()
    try world.play([try edit("two")])
    #expect(try text("a") == "two" && mode("a") == before)
    #expect(attribute("system.posix_acl_access", of: "a") == acl)
    #expect(attribute("user.note", of: "a") == note)
  }

  @Test func `a file system without attributes accepts edits all the same`() throws {
    let poor = FailingDisk(limits: FailingDisk.Limits(hasNoAttributes: true))
    let world = try HostileWorld(disk: poor)
    var change = try HostileWorld.file("a", world.mallory, "one")
    try world.play([change])
    chmod("\(world.folder)/a", 0o700)
    try world.lookAgain()
    let edit = try HostileWorld.file("a", world.mallory, "two", modified: 2)
    (change.act, change.place, change.content) = (.update, nil, edit.content)
    change.attributes?.modified = 2
    try world.play([change])
    var found = stat()
    #expect(stat("\(world.folder)/a", &found) == 0 && found.st_mode & 0o777 == 0o700)
    #expect(try world.tree() == ["a": "two"])
  }

  @Test func `a new file has the group and the access list that its directory gives`() throws {
    let list = Self.list(owner: 7, person: 6, group: 4, mask: 6, others: 0)
    let hasLists = try keeps("system.posix_acl_access", list)
    for name in ["g", "l"] {
      try FileManager.default.createDirectory(
        atPath: path(name), withIntermediateDirectories: false)
    }
    chown(path("g"), uid_t.max, 12_345)
    chmod(path("g"), 0o2775)
    if hasLists { try set("system.posix_acl_default", of: "l", to: list) }
    try world.lookAgain()
    for name in ["g", "l"] {
      try world.mallory.pull()
      let place = try HostileWorld.place(.root, name)
      let found = try world.mallory.read { try $0.child(of: .root, named: place.name) }
      let directory = try #require(found)
      try world.play([
        try HostileWorld.file("runs", world.mallory, "runs", in: directory),
        try HostileWorld.directory("inner", in: directory),
      ])
      // The test's own file there is the standard.
      let own = path("\(name)/own")
      close(open(own, O_WRONLY | O_CREAT, 0o777))
      mkdir(path("\(name)/own-directory"), 0o777)
      #expect(try mode("\(name)/runs") == mode("\(name)/own"))
      #expect(try status("\(name)/runs").st_gid == status("\(name)/own").st_gid)
      #expect(
        attribute("system.posix_acl_access", of: "\(name)/runs")
          == attribute("system.posix_acl_access", of: "\(name)/own"))
      #expect(try mode("\(name)/inner") == mode("\(name)/own-directory"))
    }
  }

  @Test(arguments: [0o600, 0o640, 0o660, 0o604, 0o644] as [UInt32])
  func `a file that comes back isn't wider than it was`(before: UInt32) throws {
    chmod(path("a"), before)
    try world.lookAgain()
    unlink(path("a"))
    try world.lookAgain()
    #expect(try world.zoneNames().isEmpty)
    try world.play([try HostileWorld.file("a", world.mallory, "back")])
    let after = try mode("a")
    #expect(after & 0o666 & ~before == 0, "\(String(after, radix: 8))")
    #expect(after & 0o600 == 0o600 && after & 0o004 == before & 0o004)
  }

  @Test func `a directory that comes back isn't wider than it was`() throws {
    mkdir(path("d"), 0o700)
    try world.lookAgain()
    rmdir(path("d"))
    try world.lookAgain()
    try world.play([try HostileWorld.directory("d")])
    #expect(try mode("d") == 0o700)
  }

  @Test func `a file that another device deletes and creates in one step isn't wider`() throws {
    chmod(path("a"), 0o600)
    try world.lookAgain()
    var new = try HostileWorld.file("a", world.mallory, "new")
    new.attributes?.isExecutable = false
    try world.play([RecordChange(id: a, act: .delete), new])
    #expect(try text("a") == "new" && mode("a") == 0o600)
    // The file is renamed, as editors do for a backup.
    let newer = try HostileWorld.file("a", world.mallory, "newer")
    try world.play([
      RecordChange(id: new.id, act: .update, place: try HostileWorld.place(.root, "a~")), newer,
    ])
    #expect(try text("a") == "newer" && mode("a") == 0o700)
    #expect(try text("a~") == "new" && mode("a~") == 0o600)
  }

  @Test func `a conflict leaves both versions as narrow as the file was`() throws {
    chmod(path("a"), 0o600)
    try world.lookAgain()
    try Data("his".utf8).write(to: URL(filePath: path("a")))
    world.hint("a")
    try world.play([try edit("hers")])
    let names = try world.tree().keys.sorted()
    #expect(names.count == 2)
    #expect(Set(try world.tree().values) == ["his", "hers"])
    for name in names { #expect(try mode(name) == 0o600, "\(name)") }
  }

  @Test func `a conflict copy of another device's isn't wider than the file here`() throws {
    chmod(path("a"), 0o600)
    try world.lookAgain()
    let label = ConflictLabel(
      who: "mallory", host: "desk", year: 2026, month: 11, day: 21, hour: 14, minute: 3)
    let name = conflictName(of: try #require(FileName("a")), label: label, attempt: 1)
    let text = String(decoding: name.bytes, as: UTF8.self)
    try world.play([try HostileWorld.file(text, world.mallory, "copy")])
    #expect(try mode(text) == 0o700)
  }

  /// Rights of a deleted file are kept while the history has it. A file that was never sent can't
  /// come back.
  @Test func `former rights are forgotten once their file can't return`() throws {
    chmod(path("a"), 0o600)
    try world.lookAgain()
    try world.play([RecordChange(id: a, act: .delete)])
    let state = world.state
    let unsent = RecordID.random()
    try state.write { tree in
      var row = try unsentRow(unsent)
      row.local?.access = Access(mode: 0o600, group: getegid())
      try tree.rememberAccess(of: row)
    }
    #expect(try state.read { try Set($0.rememberedAccess()) } == [a, unsent])
    try world.restart(inOrder: true)
    #expect(try world.state.read { try $0.rememberedAccess() } == [a])
  }

  private func unsentRow(_ id: RecordID) throws -> NodeRow {
    let node = Node(
      place: try HostileWorld.place(.root, "temporary"), kind: .directory,
      attributes: Attributes(isExecutable: false, modified: 1))
    return NodeRow(id: id, local: NodeRow.Local(node, FileStat(kind: .directory)), synced: nil)
  }
}
