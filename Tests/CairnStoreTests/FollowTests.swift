import Glibc
import Testing

@testable import CairnStore

@Suite struct FollowTests {
  @Test(arguments: TestedStore.notifying)
  func `an object in the folder gives a hint`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    _ = try store.put(key("zones/a/log/1"), [1])
    let hints = HintCounter()
    let subscription = try store.follow("zones/a/log/") { hints.hint() }
    _ = try store.put(key("zones/a/log/2"), [2])
    #expect(hints.wait())
    _ = try store.put(key("zones/a/log/3"), [3])
    #expect(hints.wait())
    subscription.cancel()
  }

  @Test(arguments: TestedStore.notifying)
  func `a folder that is not there yet gives a hint when it fills`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let hints = HintCounter()
    let subscription = try store.follow("zones/a/log/000") { hints.hint() }
    _ = try store.put(key("zones/a/log/000/1"), [1])
    #expect(hints.wait())
    subscription.cancel()
  }

  @Test(arguments: TestedStore.notifying)
  func `a new folder in the folder gives a hint`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    _ = try store.put(key("zones/a/log/1"), [1])
    let hints = HintCounter()
    let subscription = try store.follow("zones") { hints.hint() }
    _ = try store.put(key("zones/b/log/1"), [1])
    #expect(hints.wait())
    subscription.cancel()
  }

  @Test(arguments: TestedStore.notifying)
  func `cancelled and neighbouring followers get no hint`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    _ = try store.put(key("a/1"), [1])
    _ = try store.put(key("b/1"), [1])
    let cancelled = HintCounter()
    let neighbour = HintCounter()
    let dropped = HintCounter()
    let fence = HintCounter()
    let first = try store.follow("a") { cancelled.hint() }
    let second = try store.follow("b") { neighbour.hint() }
    _ = try store.follow("a") { dropped.hint() }
    let third = try store.follow("a") { fence.hint() }
    first.cancel()
    for number in 2...4 {
      _ = try store.put(key("a/\(number)"), [1])
      #expect(fence.wait())
    }
    #expect(cancelled.value == 0)
    #expect(neighbour.value == 0)
    #expect(dropped.value == 0)
    withExtendedLifetime((second, third)) {}
  }

  @Test(arguments: TestedStore.notifying)
  func `the root can be followed, and what is no folder cannot`(_ kind: TestedStore) throws {
    let (store, folder) = kind.make()
    defer { withExtendedLifetime(folder) {} }
    let hints = HintCounter()
    let subscription = try store.follow("") { hints.hint() }
    _ = try store.put(key("container"), [1])
    #expect(hints.wait())
    subscription.cancel()
    for wrong in ["..", "a//b", "//", "tmp", "A"] {
      #expect(throws: StoreError.self) { try store.follow(wrong) {} }
    }
  }

  @Test func `a thousand followers share watches and leave none behind`() throws {
    let folder = TemporaryFolder()
    let notifier = try FolderNotifier(root: folder.path)
    let hints = HintCounter()
    var subscriptions: [Subscription] = []
    for number in 0..<1000 {
      let path = try FolderPath("zones/\(number)/log")
      subscriptions.append(try notifier.follow(path) { if number == 77 { hints.hint() } })
    }
    #expect(notifier.watchCount == 1)
    _ = try DirectoryStore(root: folder.path).put(key("zones/77/log/1"), [1])
    #expect(hints.wait())
    // The root, the folder in which most wait, and one's own.
    #expect(notifier.watchCount == 3)
    for subscription in subscriptions { subscription.cancel() }
    #expect(notifier.watchCount == 0)
  }

  @Test func `a root that went away and came back is followed again`() throws {
    let folder = TemporaryFolder()
    let root = folder.path + "/root"
    mkdir(root, 0o700)
    let store = DirectoryStore(root: root)
    let hints = HintCounter()
    let subscription = try store.follow("") { hints.hint() }
    rename(root, folder.path + "/elsewhere")
    #expect(hints.wait())
    let error = #expect(throws: StoreError.self) { try store.get(key("x")) }
    #expect(error?.code == .unreachable)
    mkdir(root, 0o700)
    _ = try store.put(key("x"), [1])
    #expect(hints.wait())
    withExtendedLifetime(subscription) {}
  }

  /// As after a limit of watches that is raised: nobody has a reason to look.
  @Test func `who can't be watched for is told to look, and watched for as soon as can be`() throws
  {
    let folder = TemporaryFolder()
    let root = folder.path + "/root"
    mkdir(root, 0o700)
    let notifier = try FolderNotifier(root: root)
    let hints = HintCounter()
    let subscription = try notifier.follow(FolderPath("")) { hints.hint() }
    rename(root, folder.path + "/elsewhere")
    // That it is gone, and then again and again.
    for _ in 0..<2 { #expect(hints.wait()) }
    #expect(notifier.watchCount == 0)
    mkdir(root, 0o700)
    while notifier.watchCount == 0 { try #require(hints.wait()) }
    withExtendedLifetime(subscription) {}
  }

  @Test func `a folder in a root that another one replaced is followed again`() throws {
    let folder = TemporaryFolder()
    let root = folder.path + "/root"
    mkdir(root, 0o700)
    let store = DirectoryStore(root: root)
    _ = try store.put(key("zones/a/log/1"), [1])
    let hints = HintCounter()
    let subscription = try store.follow("zones/a/log") { hints.hint() }
    rename(root, folder.path + "/elsewhere")
    #expect(hints.wait())
    mkdir(root, 0o700)
    // A follower reads after a hint, and that sets the watch again.
    _ = try store.put(key("zones/a/log/2"), [2])
    #expect(hints.wait())
    withExtendedLifetime(subscription) {}
  }

  @Test func `an overflow hints everybody`() throws {
    let folder = TemporaryFolder()
    let inotify = Descriptor(owning: inotify_init1(0))
    var watches = FolderWatches(root: folder.path, inotify: inotify.raw)
    let first = try watches.add(FolderPath("a")) {}
    let second = try watches.add(FolderPath("")) {}
    var hinted = watches.note(watch: -1, kinds: 16, name: nil)
    #expect(hinted == [first, second])
    hinted = watches.note(watch: 4711, kinds: 1, name: "a")
    #expect(hinted == [])
    watches.remove(first)
    #expect(watches.watchCount == 1)
    hinted = watches.note(watch: 1, kinds: 1, name: "tmp")
    #expect(hinted == [])
    hinted = watches.note(watch: 1, kinds: 1, name: "x")
    #expect(hinted == [second])
  }
}
