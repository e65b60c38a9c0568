import CairnIdentity
import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// Modes and `user.*` attributes travel where the zone carries them and the device applies them.
/// They never give more rights than a new file has, and are never taken for changes of a person who
/// changed nothing. The tests run with the umask 022.
struct MetadataTests {
  private let world: HostileWorld
  private let a: RecordID

  init() throws { try self.init(disk: SystemDisk()) }

  private init(disk: any Disk, isChosen: Bool = true) throws {
    umask(0o022)
    world = try HostileWorld(disk: disk)
    try world.carry([.mode, .extended])
    let change = try Self.file("a", world, "one", mode: 0o640, ["user.tag": "red"])
    a = change.id
    try world.settle()
    if isChosen { try world.chooseMetadata(true) }
    try world.play([change])
  }

  private typealias Texts = [String: String]

  private static func extended(_ texts: Texts) -> Attributes.Extended {
    Attributes.Extended(
      uniqueKeysWithValues: texts.map { (Array($0.key.utf8), Array($0.value.utf8)) })
  }

  private static func attributes(
    mode: UInt16? = nil, _ texts: Texts? = nil, modified: Int64 = 1
  ) -> Attributes {
    Attributes(
      isExecutable: mode.map { $0 & 0o100 != 0 } ?? false, modified: modified, mode: mode,
      extended: texts.map { extended($0) })
  }

  private static func file(
    _ name: String, _ world: HostileWorld, _ text: String, mode: UInt16? = nil,
    _ texts: Texts? = nil
  ) throws -> RecordChange {
    var change = try HostileWorld.file(name, world.mallory, text)
    change.attributes = attributes(mode: mode, texts)
    return change
  }

  /// Mallory changes attributes of the file.
  private func change(mode: UInt16? = nil, _ texts: Texts? = nil) throws {
    let attributes = Self.attributes(mode: mode, texts)
    try world.play([RecordChange(id: a, act: .update, attributes: attributes)])
  }

  private func path(_ name: String = "a") -> String { "\(world.folder)/\(name)" }

  private func mode(_ name: String = "a") throws -> UInt32 {
    var found = stat()
    try #require(lstat(path(name), &found) == 0, "\(name): \(errno)")
    return found.st_mode & 0o7777
  }

  private func tags(_ name: String = "a") throws -> Texts {
    let file = open(path(name), O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    var names: [[UInt8]] = []
    try #require(SystemDisk().attributeNames(of: file, &names) >= 0)
    var found: Texts = [:]
    for name in names {
      var value: [UInt8] = []
      try #require(SystemDisk().attribute(name, of: file, &value) >= 0)
      found[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    }
    return found
  }

  private func tag(_ tag: String, _ value: String?, of name: String = "a") throws {
    let file = open(path(name), O_RDONLY)
    defer { close(file) }
    let result = SystemDisk().setAttribute(
      Array(tag.utf8), of: file, to: value.map { Array($0.utf8) })
    try #require(result >= 0)
  }

  /// The record of the file as Mallory has it.
  private func record(_ id: RecordID? = nil) throws -> Record {
    try world.mallory.pull()
    return try #require(try world.mallory.read { try $0.record(id ?? a) })
  }

  private func recordTags() throws -> Texts? {
    try record().attributes.extended.map { extended in
      Texts(
        uniqueKeysWithValues: extended.map {
          (String(decoding: $0.key, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        })
    }
  }

  /// Bob's device looks at everything again, and sends nothing.
  private func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try world.mallory.pull()
    let before = world.mallory.header.sequence
    #expect(try world.lookAgain().isEmpty, sourceLocation: sourceLocation)
    try world.mallory.pull()
    #expect(world.mallory.header.sequence == before, sourceLocation: sourceLocation)
  }

  // MARK: Arriving

  @Test func `a file arrives with its mode and its attributes`() throws {
    #expect(try mode() == 0o640)
    #expect(try tags() == ["user.tag": "red"])
    try expectSilence()
  }

  @Test func `nothing of it arrives before this device chooses it`() throws {
    let other = try MetadataTests(disk: SystemDisk(), isChosen: false)
    #expect(try other.mode() == 0o644)
    #expect(try other.tags().isEmpty)
    try other.expectSilence()
    // What this device doesn't apply is no change of its person, not even after one.
    chmod(other.path(), 0o600)
    try other.expectSilence()
    #expect(try other.record().attributes.mode == 0o640)
    chmod(other.path(), 0o644)
    try other.world.lookAgain()
    try other.world.chooseMetadata(true)
    try other.world.lookAgain()
    #expect(try other.mode() == 0o640)
    #expect(try other.tags() == ["user.tag": "red"])
    try other.expectSilence()
    try other.world.chooseMetadata(false)
    chmod(other.path(), 0o644)
    try other.expectSilence()
    #expect(try other.mode() == 0o644)
  }

  @Test func `a choice never gives more rights than a file had`() throws {
    let other = try MetadataTests(disk: SystemDisk(), isChosen: false)
    chmod(other.path(), 0o600)
    try other.world.lookAgain()
    try other.world.chooseMetadata(true)
    try other.world.lookAgain()
    #expect(try other.mode() == 0o600)
    try other.expectSilence()
    #expect(try other.record().attributes.mode == 0o640)
  }

  @Test(
    arguments: [
      (0o666, 0o644), (0o777, 0o755), (0o600, 0o600), (0o400, 0o400), (0o444, 0o444),
      (0o000, 0o400), (0o200, 0o600), (0o604, 0o604), (0o771, 0o751),
    ] as [(UInt16, UInt32)])
  func `a mode is never wider than that of a new file, and its owner can read`(
    carried: UInt16, shown: UInt32
  ) throws {
    try world.play([try Self.file("new", world, "x", mode: carried)])
    #expect(try mode("new") == shown)
    try change(mode: carried)
    #expect(try mode() == shown)
    try expectSilence()
    #expect(try record().attributes.mode == carried)
    // The next version of the file has it, too.
    var edit = try Self.file("a", world, "two", mode: carried)
    (edit.id, edit.act, edit.place) = (a, .update, nil)
    try world.play([edit])
    #expect(try mode() == shown)
    try expectSilence()
  }

  @Test(
    arguments: [(0o777, 0o755), (0o700, 0o700), (0o500, 0o700), (0o000, 0o700), (0o775, 0o755)]
      as [(UInt16, UInt32)])
  func `a directory arrives with its mode, and stays usable`(
    carried: UInt16, shown: UInt32
  ) throws {
    var directory = try HostileWorld.directory("d")
    directory.attributes = Attributes(
      isExecutable: false, modified: 5, mode: carried, extended: Self.extended(["user.d": "1"]))
    try world.play([directory])
    #expect(try mode("d") == shown)
    #expect(try tags("d") == ["user.d": "1"])
    try expectSilence()
    try world.play([
      RecordChange(
        id: directory.id, act: .update,
        attributes: Attributes(isExecutable: false, modified: 5, mode: 0o750))
    ])
    #expect(try mode("d") == 0o750)
    try expectSilence()
  }

  @Test func `set-user-ID, set-group-ID and sticky bits are never set`() throws {
    try change(mode: 0o7755)
    #expect(try mode() == 0o755)
    try expectSilence()
  }

  @Test func `an access list of this device lets a mode take rights, and give none`() throws {
    let list: [UInt8] =
      [2, 0, 0, 0] + [1, 0, 6, 0, 255, 255, 255, 255] + [2, 0, 4, 0, 0x39, 0x30, 0, 0]
      + [4, 0, 4, 0, 255, 255, 255, 255] + [16, 0, 4, 0, 255, 255, 255, 255]
      + [32, 0, 0, 0, 255, 255, 255, 255]
    let file = open(path(), O_RDONLY)
    let result = SystemDisk().setAttribute(AccessList.attribute, of: file, to: list)
    close(file)
    // Not every file system has access lists.
    guard result >= 0 else { return }
    try world.lookAgain()
    #expect(try mode() == 0o640)
    try change(mode: 0o664)
    #expect(try mode() == 0o640)
    try change(mode: 0o600)
    #expect(try mode() == 0o600)
    try expectSilence()
  }

  // MARK: Sending

  @Test func `a change of the mode alone is sent, without the content`() throws {
    let before = try record()
    chmod(path(), 0o600)
    try world.lookAgain()
    let after = try record()
    #expect(after.attributes.mode == 0o600 && after.content == before.content)
    #expect(after.attributes.modified == before.attributes.modified)
    chmod(path(), 0o755)
    try world.lookAgain()
    #expect(try record().attributes.mode == 0o755 && record().attributes.isExecutable)
    #expect(try world.conflicts().isEmpty)
    try expectSilence()
  }

  @Test func `a new file and a new directory are sent with theirs`() throws {
    mkdir(path("d"), 0o750)
    #expect(FileManager.default.createFile(atPath: path("d/b"), contents: Data("b".utf8)))
    chmod(path("d/b"), 0o711)
    try tag("user.new", "x", of: "d/b")
    try tag("user.dir", "y", of: "d")
    try world.lookAgain()
    try world.mallory.pull()
    let (directory, file) = try world.mallory.read { view in
      let (outside, inside) = (try #require(FileName("d")), try #require(FileName("b")))
      let id = try #require(try view.child(of: .root, named: outside))
      let inner = try #require(try view.child(of: id, named: inside))
      return (try #require(try view.record(id)), try #require(try view.record(inner)))
    }
    #expect(directory.attributes.mode == 0o750)
    #expect(directory.attributes.extended == Self.extended(["user.dir": "y"]))
    #expect(file.attributes.mode == 0o711 && file.attributes.isExecutable)
    #expect(file.attributes.extended == Self.extended(["user.new": "x"]))
    try expectSilence()
  }

  @Test func `attributes of programs are sent when they change, and only those of people`() throws {
    try tag("user.tag", "blue")
    try tag("user.more", "1")
    try tag("user.overlay.opaque", "y")
    try world.lookAgain()
    #expect(try recordTags() == ["user.tag": "blue", "user.more": "1"])
    try tag("user.tag", nil)
    try world.lookAgain()
    #expect(try recordTags() == ["user.more": "1"])
    try tag("user.more", nil)
    try world.lookAgain()
    #expect(try recordTags() == [:])
    try expectSilence()
  }

  @Test func `attributes of others come, change and go, and others stay`() throws {
    try tag("user.overlay.opaque", "y")
    try change(["user.tag": "blue", "user.more": "1"])
    #expect(
      try tags() == ["user.tag": "blue", "user.more": "1", "user.overlay.opaque": "y"])
    try change(["user.more": "1"])
    #expect(try tags() == ["user.more": "1", "user.overlay.opaque": "y"])
    try change(["user.overlay.redirect": "/etc"])
    #expect(try tags() == ["user.overlay.opaque": "y"])
    try expectSilence()
  }

  @Test func `both sides change attributes, each by itself`() throws {
    try tag("user.bob", "1")
    chmod(path(), 0o600)
    try world.mallory.save([
      RecordChange(
        id: a, act: .update,
        attributes: Self.attributes(mode: 0o640, ["user.tag": "blue", "user.mallory": "2"]))
    ])
    try world.lookAgain()
    #expect(try record().attributes.mode == 0o600)
    #expect(try recordTags() == ["user.tag": "blue", "user.mallory": "2", "user.bob": "1"])
    #expect(try tags() == ["user.tag": "blue", "user.mallory": "2", "user.bob": "1"])
    // The log decides about the same attribute.
    chmod(path(), 0o644)
    try tag("user.tag", "green")
    try change(mode: 0o444, ["user.tag": "black", "user.bob": "1"])
    #expect(try mode() == 0o444)
    #expect(try tags() == ["user.tag": "black", "user.bob": "1"])
    #expect(try world.conflicts().isEmpty)
    try expectSilence()
  }

  @Test func `an executable bit and a mode of two people make one mode`() throws {
    chmod(path(), 0o750)
    try change(mode: 0o600)
    let attributes = try record().attributes
    #expect(attributes.isExecutable && attributes.mode == 0o700)
    #expect(try mode() == 0o700)
    try expectSilence()
  }

  @Test func `too many attributes aren't sent, and none are lost`() throws {
    for number in 0..<70 { try tag("user.many.\(number)", "x") }
    try expectSilence()
    #expect(try recordTags() == ["user.tag": "red"])
    for number in 0..<69 { try tag("user.many.\(number)", nil) }
    try world.lookAgain()
    #expect(try recordTags() == ["user.tag": "red", "user.many.69": "x"])
  }

  // MARK: Trouble

  @Test func `a file system without attributes takes none away`() throws {
    let poor = try MetadataTests(
      disk: FailingDisk(limits: FailingDisk.Limits(hasNoAttributes: true)))
    #expect(try poor.mode() == 0o640)
    try poor.expectSilence()
    try poor.change(mode: 0o600, ["user.tag": "blue"])
    #expect(try poor.mode() == 0o600)
    try poor.expectSilence()
    #expect(try poor.recordTags() == ["user.tag": "blue"])
    // An edit there leaves them in the zone.
    try Data("two".utf8).write(to: URL(filePath: poor.path()))
    try poor.world.lookAgain()
    #expect(try poor.world.zoneText("a") == "two")
    #expect(try poor.recordTags() == ["user.tag": "blue"])
  }

  @Test func `a narrower mode is no change after a crash or the loss of the index`() throws {
    try world.keepIndex()
    var edit = try Self.file("a", world, "two", mode: 0o666, ["user.tag": "blue"])
    (edit.id, edit.act, edit.place) = (a, .update, nil)
    try world.play([edit, try Self.file("b", world, "b", mode: 0o666)])
    #expect(try mode() == 0o644 && mode("b") == 0o644)
    try world.restart(withKeptIndex: true)
    try world.lookAgain()
    try expectSilence()
    #expect(try record().attributes.mode == 0o666)
    try world.restart(withNewIndex: true)
    try world.lookAgain()
    try expectSilence()
    #expect(try record().attributes.mode == 0o666)
    #expect(try recordTags() == ["user.tag": "blue"])
    #expect(try mode() == 0o644 && mode("b") == 0o644)
  }

  @Test func `an editor that replaces a file keeps its mode and sends a new one`() throws {
    #expect(FileManager.default.createFile(atPath: path("new"), contents: Data("two".utf8)))
    chmod(path("new"), 0o600)
    rename(path("new"), path())
    try world.lookAgain()
    let after = try record()
    #expect(after.attributes.mode == 0o600 && after.attributes.extended == [:])
    #expect(try world.zoneText("a") == "two")
  }

  @Test func `what a folder of one's own has becomes what all devices get`() throws {
    umask(0o022)
    let own = try HostileWorld(mirror: .shared)
    #expect(
      FileManager.default.createFile(
        atPath: own.folder + "/key", contents: Data("k".utf8),
        attributes: [.posixPermissions: 0o600]))
    let file = open(own.folder + "/key", O_RDONLY)
    try #require(SystemDisk().setAttribute(Array("user.t".utf8), of: file, to: [49]) >= 0)
    close(file)
    try own.lookAgain()
    try own.carry([.mode, .extended])
    #expect(try own.giveMetadata() == 1)
    try own.lookAgain()
    let key = try #require(FileName("key"))
    let record = try own.mallory.read { view in
      try view.child(of: .root, named: key).flatMap { try view.record($0) }
    }
    #expect(record?.attributes.mode == 0o600)
    #expect(record?.attributes.extended == [Array("user.t".utf8): [49]])
    #expect(try own.giveMetadata() == 0)
  }

  @Test func `attributes have one form in the index`() {
    let long = String(repeating: "x", count: 300)
    for texts in [[:], ["user.a": ""], ["user.a": "1", "user.b": long]] as [Texts] {
      let extended = Self.extended(texts)
      let stored = Attributes.stored(extended)
      #expect(Attributes.extended(stored: stored) == extended)
      // A damaged row is no crash.
      for length in 0..<stored.count {
        _ = Attributes.extended(stored: Array(stored.prefix(length)))
      }
    }
  }
}
