import CairnThreads
import Glibc
import Synchronization
import Testing

@testable import CairnStore

@Suite struct DirectoryStoreTests {
  @Test func `whose file an object is, whatever kind of file it is`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    // A container is known by its id file.
    _ = try store.put(key("container"), [1])
    let key = try key("a/b")
    #expect(store.owner(of: key) == nil)
    _ = try store.put(key, [1])
    let me = try #require(store.owner(of: key))
    #expect(getpwnam(me)?.pointee.pw_uid == getuid() || me == "user \(getuid())")
    try store.delete(key)
    #expect(mkdir("\(folder.path)/a/b", 0o700) == 0)
    #expect(store.owner(of: key) == me)
    #expect(rmdir("\(folder.path)/a/b") == 0 && symlink("/nowhere", "\(folder.path)/a/b") == 0)
    #expect(store.owner(of: key) == me)
    #expect(ReadingStore(store).owner(of: key) == me)
    #expect(MemoryStore().owner(of: key) == nil)
  }

  @Test func `a missing root is unreachable, never an absent object`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path + "/missing")
    let attempts: [(DirectoryStore) throws -> Void] = [
      { _ = try $0.get(key("a")) }, { _ = try $0.size(of: key("a")) },
      { _ = try $0.put(key("a"), [1]) }, { try $0.delete(key("a")) },
      { _ = try $0.list("", after: nil, limit: 1) }, { _ = try $0.follow("a") {} },
      { _ = try StoreProbe.run(root: $0.root) },
    ]
    for attempt in attempts {
      let error = #expect(throws: StoreError.self) { try attempt(store) }
      #expect(error?.code == .unreachable)
      #expect(error?.isWorthRetrying == true)
    }
    #expect(folder.names() == [])
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser opens every folder"))
  func `a folder that somebody closed hides nothing beside it from a list`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    for name in ["a/1", "a/b/2", "a/c/3", "a/4"] { _ = try store.put(key(name), [1]) }
    #expect(chmod("\(folder.path)/a/b", 0) == 0)
    defer { chmod("\(folder.path)/a/b", 0o700) }
    let expected = try ["a/1", "a/4", "a/c/3"].map { try key($0) }
    for prefix in ["", "a/"] {
      let found = try store.list(prefix, after: nil, limit: 9)
      #expect(found.filter { $0.description.hasPrefix("a/") } == expected)
    }
    // What was asked for itself isn't taken for empty.
    #expect(throws: StoreError.self) { try store.list("a/b/", after: nil, limit: 9) }
  }

  @Test func `symlinks beneath the root are refused`() throws {
    let outside = TemporaryFolder()
    let folder = TemporaryFolder()
    outside.write("secret", "x")
    symlink(outside.path, folder.path + "/zones")
    symlink(outside.path + "/secret", folder.path + "/link")
    let store = DirectoryStore(root: folder.path)
    let attempts: [(DirectoryStore) throws -> Void] = [
      { _ = try $0.get(key("zones/secret")) }, { _ = try $0.get(key("link")) },
      { _ = try $0.put(key("zones/new"), [1]) }, { _ = try $0.put(key("link"), [1]) },
      { try $0.delete(key("zones/secret")) }, { _ = try $0.list("zones/", after: nil, limit: 9) },
      { _ = try $0.follow("zones") {} },
    ]
    for (index, attempt) in attempts.enumerated() {
      let error = #expect(throws: StoreError.self, "\(index)") { try attempt(store) }
      #expect(error?.code == .corrupt, "\(index)")
    }
    #expect(try store.list("", after: nil, limit: 9) == [])
    #expect(outside.names() == ["secret"])
  }

  @Test func `a staging folder that is a symlink is refused`() throws {
    let outside = TemporaryFolder()
    let folder = TemporaryFolder()
    symlink(outside.path, folder.path + "/tmp")
    let error = #expect(throws: StoreError.self) {
      try DirectoryStore(root: folder.path).put(key("a"), [1])
    }
    #expect(error?.code == .corrupt)
    #expect(outside.names() == [])
  }

  @Test func `without openat2 the walk by component refuses symlinks too`() throws {
    let folder = TemporaryFolder()
    mkdir(folder.path + "/real", 0o700)
    folder.write("real/file", "x")
    symlink("real", folder.path + "/link")
    symlink("file", folder.path + "/real/also")
    let root = Descriptor(owning: open(folder.path, O_RDONLY | O_DIRECTORY))
    let file = Descriptor(owning: Descriptor.openByComponent(root.raw, "real/file", O_RDONLY))
    #expect(file.raw >= 0)
    #expect(Descriptor.openByComponent(root.raw, "link/file", O_RDONLY) == -ELOOP)
    #expect(Descriptor.openByComponent(root.raw, "real/also", O_RDONLY) == -ELOOP)
    #expect(Descriptor.openByComponent(root.raw, "none/file", O_RDONLY) == -ENOENT)
  }

  @Test func `a socket is no object, and can be taken away`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array((folder.path + "/socket").utf8)
    try #require(path.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    // Nobody can open it, which says nothing about the container.
    for act in [{ _ = try store.get(key("socket")) }, { _ = try store.size(of: key("socket")) }] {
      let error = #expect(throws: StoreError.self) { try act() }
      #expect(error?.code == .corrupt)
    }
    #expect(try store.list("", after: nil, limit: 10).isEmpty)
    try store.remove(try key("socket"), ifIts: nil, upTo: 10)
    #expect(try store.get(key("socket")) == nil)
  }

  @Test func `a FIFO is no object and holds nobody up`() throws {
    let folder = TemporaryFolder()
    mkfifo(folder.path + "/fifo", 0o600)
    let error = #expect(throws: StoreError.self) {
      try DirectoryStore(root: folder.path).get(key("fifo"))
    }
    #expect(error?.code == .corrupt)
  }

  @Test func `a folder in the place of an object is no free place`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    _ = try store.put(key("a/b"), [1])
    for look in [{ _ = try store.get(key("a")) }, { _ = try store.size(of: key("a")) }] {
      let error = #expect(throws: StoreError.self) { try look() }
      #expect(error?.code == .corrupt && error?.cause.contains("a is a folder") == true)
    }
    // Nobody's objects go with it.
    try store.delete(key("a"))
    #expect(try store.get(key("a/b")) == [1])
  }

  @Test func `unfinished files are in tmp, unseen, and gone after a put`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    _ = try store.put(key("a/b/c"), [1])
    _ = try store.put(key("a/b/c"), [2])
    #expect(folder.names() == ["a", "tmp"])
    #expect(folder.names(in: "tmp") == [])
    folder.write("tmp/" + StagedObject.randomName(), "torn")
    #expect(try store.list("", after: nil, limit: 9).map(\.description) == ["a/b/c"])
  }

  @Test func `only this user's own stale files are removed from tmp`() throws {
    let folder = TemporaryFolder()
    mkdir(folder.path + "/tmp", 0o700)
    let stale = StagedObject.randomName()
    let young = StagedObject.randomName()
    let foreign = StagedObject.randomName()
    for name in [stale, young, foreign, "notes"] { folder.write("tmp/" + name, "x") }
    var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
    for name in [stale, foreign, "notes"] {
      utimensat(AT_FDCWD, folder.path + "/tmp/" + name, &times, 0)
    }
    // Only root can give a file to somebody else.
    let isForeign = chown(folder.path + "/tmp/" + foreign, geteuid() + 1, getegid()) == 0
    _ = DirectoryStore(root: folder.path)
    let left = Set(folder.names(in: "tmp"))
    #expect(left.isSuperset(of: [young, "notes"]))
    #expect(!left.contains(stale))
    #expect(left.contains(foreign) == isForeign)
  }

  @Test(arguments: [(UInt32(0o2770), UInt32(0o440)), (0o700, 0o400), (0o755, 0o444)])
  func `what is made has the container's permissions`(_ root: UInt32, _ object: UInt32) throws {
    let folder = TemporaryFolder()
    chmod(folder.path, root)
    _ = try DirectoryStore(root: folder.path).put(key("a/b/c"), [1])
    #expect(folder.mode(of: "a") == root)
    #expect(folder.mode(of: "a/b") == root)
    #expect(folder.mode(of: "tmp") == root)
    #expect(folder.mode(of: "a/b/c") == object)
  }

  @Test func `folders that were removed under a writer are made again`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    _ = try store.put(key("a/b/c"), [1])
    try store.delete(key("a/b/c"))
    rmdir(folder.path + "/a/b")
    rmdir(folder.path + "/a")
    #expect(try store.put(key("a/b/c"), [2]) == .stored)
    #expect(try store.get(key("a/b/c")) == [2])
  }

  @Test func `an object that is taken away as soon as it stands was stored`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    let inbox = try key("inbox/a")
    let isOver = Mutex(false)
    let problems = Mutex<[String]>([])
    PosixThread.race(2) { thread in
      guard thread == 0 else {
        while !isOver.withLock({ $0 }) { unlink(folder.path + "/inbox/a") }
        return
      }
      do throws(StoreError) {
        for _ in 1...2_000 { _ = try store.put(inbox, [1]) }
      } catch {
        problems.withLock { $0.append(error.cause) }
      }
      isOver.withLock { $0 = true }
    }
    #expect(problems.withLock { $0 } == [])
  }

  private static func remove(_ names: [String], _ folder: TemporaryFolder) throws {
    for name in names { try #require(Glibc.remove(folder.path + "/a/b/c/" + name) == 0) }
    try #require(rmdir(folder.path + "/a/b") == 0)
  }

  @Test func `a new folder costs one sync of the folder above it, however deep it is`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    for name in ["a/b/c/1/x", "a/b/c/1/y", "a/b/c/2/x", "a/b/c/3/x"] {
      #expect(try store.put(key(name), [1]) == .stored)
    }
    // a, b and c, and the three folders in it.
    #expect(store.durableFolders.withLock { $0.made } == 6)
    // Another process removes folders, and a third may have created those above them again.
    try DirectoryStoreTests.remove(["1/x", "1/y", "1", "2/x", "2", "3/x", "3", ""], folder)
    #expect(try store.put(key("a/b/c/1/x"), [1]) == .stored)
    #expect(store.durableFolders.withLock { $0.made } == 10)
    try store.prune("a/b")
    _ = try store.put(key("a/b/c/1/z"), [1])
    #expect(store.durableFolders.withLock { $0.made } == 14)
  }

  @Test func `a full device is told as full`() {
    let error = StoreError.system(ENOSPC, "store x", root: "/r")
    #expect(error.code == .full)
    #expect(StoreError.system(EDQUOT, "store x", root: "/r").code == .full)
    #expect(StoreError.system(EACCES, "store x", root: "/r").code == .denied)
    #expect(StoreError.system(EROFS, "store x", root: "/r").code == .denied)
    for number in [ENOTCONN, ESTALE, EIO, ENODEV] {
      #expect(StoreError.system(number, "store x", root: "/r").code == .unreachable)
    }
    #expect(error.cause.contains("store x") && error.cause.contains("/r"))
  }

  @Test(arguments: ["/tmp", "/dev/shm"])
  func `the probe finds what a local file system offers, and cleans up`(_ parent: String) throws {
    let folder = TemporaryFolder(in: parent)
    let traits = try StoreProbe.run(root: folder.path)
    #expect(traits.findings.map(\.name) == ["link", "rename-noreplace", "fsync"])
    #expect(traits.findings.filter { !$0.works }.isEmpty)
    #expect(traits.isDurable)
    #expect(traits.notifies)
    #expect(traits.allowsManyWriters)
    #expect(!traits.fileSystem.isEmpty)
    #expect(folder.names(in: "tmp") == [])
  }
}
