import CairnFolders
import CairnReplica
import CairnZone
import Foundation
import Glibc
import Synchronization
import Testing

/// A new directory arrives with its files by one rename. A person's work at its place or in it is
/// never lost.
@Suite struct NewDirectoryTests {
  private let disk: FailingDisk
  private let world: HostileWorld

  init() throws {
    disk = FailingDisk()
    world = try HostileWorld(disk: disk)
  }

  private func path(_ name: String) -> String { "\(world.folder)/\(name)" }

  /// Returns a directory with a time of its own.
  private static func directory(
    _ name: String, in parent: RecordID = .root
  ) throws -> RecordChange {
    var change = try HostileWorld.directory(name, in: parent)
    change.attributes = Attributes(isExecutable: false, modified: 5_000_000_000)
    return change
  }

  /// Returns a directory, and files in it.
  private static func tree(
    _ name: String, files: Int, _ zone: Zone, in parent: RecordID = .root
  ) throws -> [RecordChange] {
    let directory = try Self.directory(name, in: parent)
    return try [directory]
      + (0..<files).map { number in
        try HostileWorld.file("f\(number)", zone, "the text of \(name) \(number)", in: directory.id)
      }
  }

  private func directory(_ name: String, files: Int) throws -> [RecordChange] {
    try Self.tree(name, files: files, world.mallory)
  }

  private static func texts(_ name: String, files: Int) -> [String: String] {
    var texts = [name: "dir"]
    for number in 0..<files { texts["\(name)/f\(number)"] = "the text of \(name) \(number)" }
    return texts
  }

  /// Expects that Bob's folder and the zone are equal, that nothing waits, and that nothing was
  /// left in the staging folder.
  private func expectSettled(
    _ tree: [String: String]?, in world: HostileWorld? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let world = world ?? self.world
    #expect(try world.lookAgain().isEmpty, sourceLocation: sourceLocation)
    let before = try world.tree()
    if let tree { #expect(before == tree, sourceLocation: sourceLocation) }
    let sequence = world.bob.header.sequence
    #expect(try world.lookAgain().isEmpty, sourceLocation: sourceLocation)
    #expect(try world.tree() == before, sourceLocation: sourceLocation)
    #expect(world.bob.header.sequence == sequence, sourceLocation: sourceLocation)
    for inner in ["staging", "displaced"] {
      let own = "\(world.folder)/.cairn/\(inner)"
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: own).isEmpty,
        sourceLocation: sourceLocation)
    }
  }

  private func time(_ name: String) throws -> Int {
    var found = stat()
    try #require(lstat(path(name), &found) == 0)
    return found.st_mtim.tv_sec
  }

  @Test func `a directory of a hundred files costs one rename`() throws {
    let changes = try ["a", "b", "c"].flatMap { try directory($0, files: 100) }
    let sequence = world.bob.header.sequence
    let (renames, syncs, whole) = (count(disk.renames), count(disk.syncs), count(disk.wholeSyncs))
    let before = world.folderWork
    try world.play(changes)
    #expect(count(disk.renames) - renames == 3)
    #expect(count(disk.wholeSyncs) - whole == 1, "the contents and all names in the directories")
    #expect(count(disk.syncs) - syncs == 1, "the names of the directories")
    let work = world.folderWork - before
    #expect(work.statements <= 300 * 20, "\(work)")
    #expect(world.bob.header.sequence == sequence + 1)
    var all: [String: String] = [:]
    for name in ["a", "b", "c"] {
      all.merge(Self.texts(name, files: 100)) { first, _ in first }
      #expect(try time(name) == 5)
    }
    try expectSettled(all)
  }

  private func count(_ number: borrowing Atomic<Int>) -> Int { number.load(ordering: .relaxed) }

  @Test func `directories in a new directory arrive with it`() throws {
    let a = try directory("a", files: 2)
    let b = try Self.tree("b", files: 2, world.mallory, in: a[0].id)
    let c = try Self.tree("c", files: 2, world.mallory, in: b[0].id)
    let empty = try Self.directory("empty", in: a[0].id)
    let d = try Self.tree("d", files: 1, world.mallory, in: empty.id)
    var link = try HostileWorld.symlink("link", to: "f0")
    link.place = try HostileWorld.place(b[0].id, "link")
    let seen = Mutex<[String]>([])
    disk.afterRename(to: "a") { [folder = world.folder] in
      let names = FileManager.default.enumerator(atPath: "\(folder)/a")?.allObjects as? [String]
      seen.withLock { $0 = (names ?? []).sorted() }
    }
    // The order in the commit must not matter.
    try world.play(c.reversed() + d + [link] + b + [empty] + a)
    #expect(
      seen.withLock { $0 } == [
        "b", "b/c", "b/c/f0", "b/c/f1", "b/f0", "b/f1", "b/link", "empty", "empty/d", "empty/d/f0",
        "f0", "f1",
      ])
    for name in ["a", "a/b", "a/b/c", "a/empty", "a/empty/d"] {
      #expect(try time(name) == 5, "\(name)")
    }
    try expectSettled(nil)
    #expect(try world.tree().count == 13)
  }

  @Test func `a directory keeps its time when more comes into it later`() throws {
    let a = try directory("a", files: 2)
    try world.play(a)
    try world.play([try HostileWorld.file("late", world.mallory, "late", in: a[0].id)])
    try world.play(try Self.tree("b", files: 1, world.mallory, in: a[0].id))
    #expect(try time("a") == 5)
    try expectSettled(nil)
  }

  @Test func `a directory waits for its small files, and not for large ones`() throws {
    let transfers = SteppedTransfers()
    let world = try HostileWorld(disk: disk, executor: transfers)
    var changes = try Self.tree("a", files: 300, world.mallory)
    let inner = try Self.tree("b", files: 2, world.mallory, in: changes[0].id)
    changes += inner
    let large = String(repeating: "x", count: 5 << 20)
    changes.append(try HostileWorld.file("large", world.mallory, large, in: changes[0].id))
    let renames = count(disk.renames)
    try world.play(changes)
    #expect(transfers.sizes.count == 3)
    #expect(try world.tree().isEmpty)
    transfers.step()
    try world.settle()
    #expect(try world.tree().isEmpty, "some of its files are missing")
    // What goes elsewhere doesn't wait.
    try world.play([try HostileWorld.directory("other")])
    #expect(try world.tree() == ["other": "dir"])
    transfers.step()
    try world.settle()
    #expect(try world.tree().count == 305)
    #expect(count(disk.renames) - renames == 2, "one to put the inner one there")
    transfers.step()
    try world.settle()
    #expect(try world.tree().count == 306)
    try expectSettled(nil, in: world)
  }

  @Test func `a directory that is needed before its files are there comes first`() throws {
    let transfers = SteppedTransfers()
    let world = try HostileWorld(disk: disk, executor: transfers)
    let changes = try Self.tree("a", files: 3, world.mallory)
    try world.play(changes)
    try world.play([try HostileWorld.directory("b", in: changes[0].id)])
    #expect(try world.tree() == ["a": "dir", "a/b": "dir"])
    transfers.step()
    try world.settle()
    var all = Self.texts("a", files: 3)
    all["a/b"] = "dir"
    try expectSettled(all, in: world)
  }

  @Test func `a directory that others delete before its files are there leaves nothing`() throws {
    let transfers = SteppedTransfers()
    let world = try HostileWorld(disk: disk, executor: transfers)
    let changes = try Self.tree("a", files: 3, world.mallory)
    try world.play(changes)
    try world.play(changes.reversed().map { RecordChange(id: $0.id, act: .delete) })
    while transfers.step() { try world.settle() }
    try expectSettled([:], in: world)
  }

  @Test func `a file that others rename before the directory is there has its new name`() throws {
    let transfers = SteppedTransfers()
    let world = try HostileWorld(disk: disk, executor: transfers)
    let changes = try Self.tree("a", files: 3, world.mallory)
    try world.play(changes)
    try world.play([
      RecordChange(
        id: changes[1].id, act: .update, place: try HostileWorld.place(changes[0].id, "new"))
    ])
    while transfers.step() { try world.settle() }
    var all = Self.texts("a", files: 3)
    all["a/new"] = all["a/f0"]
    all["a/f0"] = nil
    try expectSettled(all, in: world)
  }

  // MARK: A person at work

  /// A person's act right before the directory is moved in.
  enum Taken: CaseIterable { case file, emptyDirectory, directory }

  @Test(arguments: Taken.allCases)
  func `a name that a person takes first is never overwritten`(taken: Taken) throws {
    disk.beforeRename(of: "a") { [a = path("a")] in
      switch taken {
      case .file: write("mine", a)
      case .emptyDirectory: mkdir(a, 0o755)
      case .directory:
        mkdir(a, 0o755)
        write("mine", "\(a)/f0")
      }
    }
    try world.play(try directory("a", files: 3))
    try expectSettled(nil)
    let tree = try world.tree()
    if taken != .emptyDirectory { #expect(tree.values.contains("mine")) }
    for number in 0..<3 { #expect(tree.values.contains("the text of a \(number)")) }
    #expect(tree.count == (taken == .emptyDirectory ? 4 : 5), "\(tree)")
  }

  /// A person's act right after the directory was moved in.
  enum Act: CaseIterable { case edits, creates, deletes, renames, removesAll, renamesDirectory }

  @Test(arguments: Act.allCases)
  func `a change right after the move is the person's`(act: Act) throws {
    disk.afterRename(to: "a") { [a = path("a")] in
      switch act {
      case .edits: write("edited", "\(a)/f0")
      case .creates: write("created", "\(a)/new")
      case .deletes: unlink("\(a)/f0")
      case .renames: rename("\(a)/f0", "\(a)/g")
      case .removesAll:
        for number in 0..<3 { unlink("\(a)/f\(number)") }
        rmdir(a)
      case .renamesDirectory: rename(a, "\(a)2")
      }
    }
    try world.play(try directory("a", files: 3))
    var tree = Self.texts("a", files: 3)
    switch act {
    case .edits: tree["a/f0"] = "edited"
    case .creates: tree["a/new"] = "created"
    case .deletes: tree["a/f0"] = nil
    case .renames:
      tree["a/g"] = tree["a/f0"]
      tree["a/f0"] = nil
    case .removesAll: tree = [:]
    case .renamesDirectory:
      tree = Dictionary(
        uniqueKeysWithValues: tree.map { ("a2" + $0.key.dropFirst(), $0.value) })
    }
    try expectSettled(tree)
    #expect(try world.rescued().isEmpty)
  }

  // MARK: Interruptions

  /// The place of the directory when the process ends.
  enum End: CaseIterable { case inTheStagingFolder, inTheFolder }

  @Test(arguments: End.allCases, [false, true])
  func `an interrupted arrival is continued without copies`(
    end: End, isIndexLost: Bool
  ) throws {
    disk.fail(world.folder, .syncing(errno: EIO))
    #expect(throws: FolderError.self) { try world.play(try directory("a", files: 3)) }
    disk.heal()
    if end == .inTheStagingFolder { #expect(rename(path("a"), try stagedName(of: "a")) == 0) }
    try world.restart(withNewIndex: isIndexLost)
    try world.settle()
    try expectSettled(Self.texts("a", files: 3))
    #expect(try world.rescued().isEmpty)
  }

  /// A power cut undoes the move, and keeps what a person wrote into the directory since.
  @Test func `an edit in a directory that a power cut took back is kept`() throws {
    disk.fail(world.folder, .syncing(errno: EIO))
    #expect(throws: FolderError.self) { try world.play(try directory("a", files: 3)) }
    disk.heal()
    write("edited", path("a/f0"))
    write("created", path("a/new"))
    #expect(rename(path("a"), try stagedName(of: "a")) == 0)
    try world.restart(boot: "second")
    try world.settle()
    try world.wait()
    let texts = try world.tree().values
    for text in ["edited", "created"] { #expect(texts.contains(text), "\(texts)") }
    for number in 1..<3 { #expect(texts.contains("the text of a \(number)")) }
    try expectSettled(nil)
  }

  /// Returns a path in the staging folder for a directory in the root.
  private func stagedName(of name: String) throws -> String {
    let name = try #require(FileName(name))
    let id = try world.mallory.read { try $0.child(of: .root, named: name) }
    let bytes = try #require(id).bytes
    return path(".cairn/staging/" + bytes.map { String(format: "%02x", $0) }.joined() + "-t-1")
  }

  // MARK: Attributes

  @Test func `a directory in one that passes its group on gets that group`() throws {
    let outer = try HostileWorld.directory("outer")
    try world.play([outer])
    chown(path("outer"), uid_t.max, 12_345)
    chmod(path("outer"), 0o2775)
    try world.play(try Self.tree("a", files: 2, world.mallory, in: outer.id))
    for name in ["outer/a", "outer/a/f0"] {
      var found = stat()
      try #require(lstat(path(name), &found) == 0)
      #expect(found.st_gid == 12_345, "\(name)")
    }
  }

  @Test func `modes are those of new directories and files`() throws {
    mkdir(path("own"), 0o777)
    try world.play(try directory("a", files: 1))
    var (own, new, file) = (stat(), stat(), stat())
    try #require(lstat(path("own"), &own) == 0 && lstat(path("a"), &new) == 0)
    try #require(lstat(path("a/f0"), &file) == 0)
    #expect(own.st_mode == new.st_mode)
    #expect(file.st_mode & 0o777 == own.st_mode & 0o777)
  }

  @Test func `files of a person who can only view have no write bits`() throws {
    let world = try HostileWorld(disk: disk, permission: .readOnly)
    try world.play(try Self.tree("a", files: 2, world.mallory))
    var (directory, file) = (stat(), stat())
    try #require(lstat("\(world.folder)/a", &directory) == 0)
    try #require(lstat("\(world.folder)/a/f0", &file) == 0)
    #expect(directory.st_mode & 0o200 != 0 && file.st_mode & 0o222 == 0)
    try expectSettled(Self.texts("a", files: 2), in: world)
  }

  @Test func `a directory that returns isn't more accessible than before`() throws {
    let changes = try directory("a", files: 1)
    try world.play(changes)
    chmod(path("a"), 0o700)
    chmod(path("a/f0"), 0o600)
    try world.lookAgain()
    try world.play(changes.reversed().map { RecordChange(id: $0.id, act: .delete) })
    try world.wait()
    #expect(try world.tree().isEmpty)
    try world.play(try self.directory("a", files: 1))
    var (directory, file) = (stat(), stat())
    try #require(lstat(path("a"), &directory) == 0 && lstat(path("a/f0"), &file) == 0)
    #expect(directory.st_mode & 0o777 == 0o700 && file.st_mode & 0o077 == 0)
  }

  // MARK: Other file systems

  @Test func `without a rename that refuses taken names, files come one by one`() throws {
    let world = try HostileWorld(disk: FailingDisk(refusesTakenNames: false))
    try world.play(try Self.tree("a", files: 3, world.mallory))
    try expectSettled(Self.texts("a", files: 3), in: world)
  }

  @Test func `a rename that was done and seems to fail is found out`() throws {
    disk.loseAnswer(of: "a", passing: 0)
    try world.play(try directory("a", files: 3))
    try expectSettled(Self.texts("a", files: 3))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `everything arrives though half of all renames fail`(seed: UInt64) throws {
    disk.refuseRenames(50, seed: seed)
    let a = try directory("a", files: 3)
    try world.play(a + Self.tree("b", files: 3, world.mallory, in: a[0].id))
    disk.refuseRenames(nil)
    try world.wait()
    try world.wait()
    try expectSettled(nil)
    #expect(try world.tree().count == 8)
  }
}

private func write(_ text: String, _ path: String) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
  _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
  close(file)
}
