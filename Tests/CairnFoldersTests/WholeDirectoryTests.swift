import CairnFolders
import CairnReplica
import CairnZone
import Foundation
import Glibc
import Synchronization
import Testing

/// An unchanged directory that others deleted is moved aside as a whole. What a person or program
/// does in it at that moment is never lost.
@Suite struct WholeDirectoryTests {
  @Test func `a directory of 500 files is moved aside by one rename`() throws {
    let test = try Doomed(files: 500)
    let (calls, renames) = (test.calls, test.renames)
    try test.delete()
    #expect(try test.world.tree().isEmpty)
    #expect(test.renames - renames == 1)
    #expect(test.calls - calls <= 500 * 5 + 50)
    try test.world.wait()
    #expect(test.calls - calls <= 500 * 12 + 100, "\(test.calls - calls)")
    #expect(test.disk.keptReads.load(ordering: .relaxed) == 0)
    try test.expectSettled([:])
  }

  /// A change right before the directory is moved.
  enum Act: String, CaseIterable {
    case edits, creates, renamesOver, deletes, replacesDirectory, makesDirectory
  }

  @Test(arguments: Act.allCases)
  func `a change right before the move is seen`(act: Act) throws {
    let test = try Doomed()
    let d = test.path
    test.disk.beforeRename(of: "d") {
      switch act {
      case .edits: write("edited", "\(d)/f1")
      case .creates: write("created", "\(d)/new")
      case .renamesOver:
        write("other", "\(d)/../b")
        rename("\(d)/../b", "\(d)/f1")
      case .deletes: unlink("\(d)/f1")
      case .replacesDirectory:
        rename(d, "\(d)/../e")
        mkdir(d, 0o755)
        write("created", "\(d)/new")
      case .makesDirectory:
        mkdir("\(d)/s/t", 0o755)
        write("created", "\(d)/s/t/new")
      }
    }
    try test.delete()
    switch act {
    case .edits: try test.expectSettled(["d": "dir", "d/f1": "edited"])
    case .creates: try test.expectSettled(["d": "dir", "d/new": "created"])
    case .replacesDirectory:
      try test.expectSettled(nil)
      #expect(try test.world.tree()["d/new"] == "created")
    case .renamesOver: try test.expectSettled(["d": "dir", "d/f1": "other"])
    case .deletes: try test.expectSettled([:])
    case .makesDirectory:
      try test.expectSettled(
        ["d": "dir", "d/s": "dir", "d/s/t": "dir", "d/s/t/new": "created"])
    }
  }

  /// A program whose working directory it is works in it, and its name is taken at once.
  @Test func `a change right after the move is a conflict copy or rescued`() throws {
    let test = try Doomed()
    let d = test.path
    let inside = open(d, O_RDONLY | O_DIRECTORY)
    defer { close(inside) }
    test.disk.afterRename(of: "d") {
      write("edited", "f1", in: inside)
      write("created", "new", in: inside)
      write("other", "x", in: inside)
      renameat(inside, "x", inside, "f2")
      mkdir(d, 0o755)
    }
    try test.delete()
    try test.world.wait()
    let texts = try test.world.tree().values.filter { $0 != "dir" }.sorted()
    #expect(texts == ["edited", "other"])
    let rescued = try test.world.rescued()
    #expect(rescued.map { String(decoding: $0.of, as: UTF8.self) } == ["d/new"])
    try test.expectSettled(nil)
  }

  @Test func `what a program writes while the directory waits is kept`() throws {
    let test = try Doomed()
    let inside = open(test.path, O_RDONLY | O_DIRECTORY)
    defer { close(inside) }
    try test.delete()
    #expect(try test.world.tree().isEmpty)
    write("edited", "f1", in: inside)
    write("created", "new", in: inside)
    write("other", "x", in: inside)
    renameat(inside, "x", inside, "f2")
    unlinkat(inside, "l", 0)
    symlinkat("elsewhere", inside, "l")
    mkdirat(inside, "s2", 0o755)
    write("deep", "s2/new", in: inside)
    try test.world.wait()
    #expect(try test.world.tree().values.sorted() == ["edited", "other"])
    let rescued = try test.world.rescued().map { String(decoding: $0.of, as: UTF8.self) }
    #expect(rescued == ["d/l", "d/new", "d/s2/new"])
    try test.expectSettled(nil)
  }

  @Test func `a file that is open for writing stays`() throws {
    let test = try Doomed()
    let file = open("\(test.path)/f1", O_WRONLY)
    try test.delete()
    #expect(try test.world.tree() == ["d": "dir", "d/f1": "the text of f1"])
    close(file)
    try test.expectSettled([:])
  }

  /// The place at which the process ends.
  enum End: CaseIterable { case beforeTheIndexHasIt, whileItWaits, whileItWaitsAndTheIndexIsLost }

  @Test(arguments: End.allCases)
  func `a directory that an ended process left there is removed without copies`(end: End) throws {
    let test = try Doomed()
    if end == .beforeTheIndexHasIt { test.disk.fail(test.world.folder, .syncing(errno: EIO)) }
    do { try test.delete() } catch { #expect(end == .beforeTheIndexHasIt) }
    test.disk.heal()
    let kept = "\(test.world.folder)/.cairn/displaced"
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept).count == 1)
    try test.world.restart(withNewIndex: end == .whileItWaitsAndTheIndexIsLost)
    try test.world.settle()
    try test.expectSettled([:])
    #expect(try test.world.rescued().isEmpty)
  }

  @Test func `a folder that is given up takes such a directory's edits along`() throws {
    let test = try Doomed()
    let inside = open(test.path, O_RDONLY | O_DIRECTORY)
    defer { close(inside) }
    try test.delete()
    write("edited", "f1", in: inside)
    try test.world.removeBob()
    let moved = try test.world.giveUp()
    #expect(moved.count == 1)
    let path = String(decoding: try #require(moved.first).path, as: UTF8.self)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "edited")
    #expect(!FileManager.default.fileExists(atPath: test.world.folder))
  }
}

private func write(_ text: String, _ path: String, in directory: Int32 = AT_FDCWD) {
  let file = openat(directory, path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
  _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
  close(file)
}

/// Bob's folder with one directory of Mallory's, with files, a symlink and a directory in it.
private struct Doomed {
  let disk = FailingDisk()
  let world: HostileWorld
  private let ids: [RecordID]

  init(files: Int = 3) throws {
    world = try HostileWorld(disk: disk)
    let d = try HostileWorld.directory("d")
    let s = try HostileWorld.directory("s", in: d.id)
    var all = [d, s]
    for number in 1...files {
      let name = "f\(number)"
      all.append(try HostileWorld.file(name, world.mallory, "the text of \(name)", in: d.id))
    }
    var link = try HostileWorld.symlink("l", to: "f1")
    link.place = try HostileWorld.place(d.id, "l")
    all.append(link)
    all.append(try HostileWorld.file("f", world.mallory, "the text of f", in: s.id))
    ids = all.map(\.id)
    try world.play(all)
    #expect(try world.tree().count == files + 4)
  }

  var path: String { "\(world.folder)/d" }
  var calls: Int { disk.calls.load(ordering: .relaxed) }
  var renames: Int { disk.renames.load(ordering: .relaxed) }

  /// Mallory deletes all of it.
  func delete() throws {
    try world.play(ids.map { RecordChange(id: $0, act: .delete) })
  }

  /// Expects that Bob's folder and the zone are equal, and that nothing waits.
  func expectSettled(_ tree: [String: String]?) throws {
    #expect(try world.lookAgain().isEmpty)
    if let tree { #expect(try world.tree() == tree) }
    let before = try world.tree()
    let sequence = world.bob.header.sequence
    #expect(try world.lookAgain().isEmpty)
    #expect(try world.tree() == before)
    #expect(world.bob.header.sequence == sequence)
    let kept = "\(world.folder)/.cairn/displaced"
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept).isEmpty)
  }
}
