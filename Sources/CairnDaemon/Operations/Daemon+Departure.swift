import CairnCloud
import CairnControl
import CairnFolders
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// Mounts of shares that end for this person: removed, stopped, left.
extension Daemon {
  /// A mount says that it is over; on a thread of its own, since the mount's has to be ended.
  func mountEnded(_ mount: Mount, _ why: Departure) {
    let started = PosixThread.run("cairn-depart") { [self] in
      do {
        try endSharedMount(mount, because: why)
      } catch {
        log.warning("\(Control.Path(mount.path)) can't be given up yet: \(error)")
      }
    }
    if !started { log.warning("the system has no more threads to give up a folder") }
  }

  /// Gives up the folder of a share, or its folders: what the zone has is removed, what only they
  /// have is moved to the home's rescue folder, and account and index forget the share. For an
  /// owner's removal, for `share leave`, and for what another device of this person did. Doing it
  /// twice, or at once, does it once; it is done when this returns. Who leaves says so in the
  /// share's log first.
  @discardableResult
  func endSharedMount(_ mount: Mount, because why: Departure) throws -> [MovedAway] {
    let zone = mount.zone
    if let other = waiterForDeparture(of: zone.id) {
      _ = other.wait(until: nil)
      return []
    }
    defer {
      for waiter in departing.withLock({ $0.removeValue(forKey: zone.id) }) ?? [] {
        waiter.complete(())
      }
    }
    let all = mounts(of: zone.id)
    guard all.contains(where: { $0 === mount }) else { return [] }
    // Saying it again, after another device of this person did, changes nothing.
    if why == .rootDeleted || why == .left { try container.leave(zone) }
    let title = zone.header.share?.title ?? zone.header.genesis?.name ?? "Share"
    let reason = Self.sentence(why, title)
    var moved: [MovedAway] = []
    // Those that lie in others first.
    for mount in all.sorted(by: { $1.path.lexicographicallyPrecedes($0.path) }) {
      for entry in try clear(mount, title, reason) {
        moved.append(entry)
        events.add(
          .rescued, mount: mount, path: absolute(mount, entry.of).bytes,
          text: "\(reason); the bytes are at \(Control.Path(entry.path))")
      }
    }
    mounting.withLock { _ in
      for mount in all { endMount(mount) }
      unforgotten.withLock { $0[zone.id] = zone }
    }
    events.add(Self.kind(why), mount: mount, path: mount.path, text: reason)
    try forgetGivenUp()
    return moved
  }

  /// Takes zones whose folders were given up out of the account. If the container is away just
  /// then, the next look at the account tries again.
  func forgetGivenUp() throws {
    for (id, zone) in unforgotten.withLock({ $0 }) {
      do {
        try mounting.withLock { _ in try container.forgetEverything(of: zone) }
      } catch {
        accountWatch.hint()
        throw error
      }
      unforgotten.withLock { $0[id] = nil }
    }
  }

  /// Nil: it's the caller's turn. Otherwise somebody is at it, and the waiter says when it's done.
  private func waiterForDeparture(of zone: ZoneID) -> Waiter<Void>? {
    departing.withLock { departing in
      guard departing[zone] != nil else {
        departing[zone] = []
        return nil
      }
      let waiter = Waiter<Void>()
      departing[zone]?.append(waiter)
      return waiter
    }
  }

  private func clear(_ mount: Mount, _ title: String, _ reason: String) throws -> [MovedAway] {
    let rescue = HomeRescue(home: home)
    let folder = try rescue.folder(title: title, zone: mount.zone.id)
    let answer = Waiter<Result<[MovedAway], any Error>>()
    mount.mailbox.post(
      .run { engine in answer.complete(Result { try engine.clear(into: folder) }) })
    guard let moved = try answer.wait(until: nil)?.get(), !moved.isEmpty else { return [] }
    try rescue.note(mount.path, reason: reason, in: folder)
    return moved
  }

  private static func kind(_ why: Departure) -> Control.EventKind {
    switch why {
    case .removed: .shareRevoked
    case .stopped, .purged: .shareStopped
    case .left, .rootDeleted: .shareLeft
    }
  }

  private static func sentence(_ why: Departure, _ title: String) -> String {
    switch why {
    case .removed: "you don't take part in “\(title)” any more: you were removed"
    case .stopped: "“\(title)” isn't shared any more: its owner stopped it"
    case .purged: "“\(title)” was deleted by its owner"
    case .left: "you left “\(title)”"
    case .rootDeleted: "you left “\(title)” by deleting its folder"
    }
  }
}
