import CairnCloud
import CairnControl
import CairnFolders
import CairnThreads
import CairnZone
import Glibc
import Logging
import Synchronization

/// Folders inside of a mirrored folder that are shared by themselves: their records go to a zone of
/// their own and come back when the share ends, while the folder stays where it is.
extension Daemon {
  /// Shares something inside of a mirrored folder.
  func shareNested(
    _ path: Control.Path, _ outer: Mount, title: String?, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    try checkUnshared(path)
    guard outer.zone.scope == .private, outer.zone.header.share == nil else {
      throw Self.alreadyShared(path, outer)
    }
    guard isFile(path) || isFolder(path) else {
      throw ControlError(
        .invalidArguments, "\(path) is neither a folder nor a file.",
        remedy: "Name one that exists.", path: path)
    }
    try settleBriefly(outer, stream)
    guard let (mount, relative) = mount(at: path.bytes), mount === outer else {
      throw ControlError(
        .serverRecordChanged, "\(path) became something else in the meantime.",
        remedy: "Look at `cairn status`, and say the same again.", path: path)
    }
    let title = title ?? Self.lastName(of: path)
    let nesting = try outer.withEngine { try $0.nest(relative, title: title) }
    guard let zone = try container.zone(nesting.part.zone) else {
      throw ControlError(
        .interrupted, "The daemon is ending.", remedy: "Start it; `cairn share list` shows more.")
    }
    events.add(
      .shareSaved, mount: self.mount(of: zone.id), path: path.bytes, text: "shared as “\(title)”")
    return Control.ShareReply(share: try describe(zone), created: true)
  }

  /// What was just put into the folder is to be in the share; what can't be sent now goes with it
  /// later.
  private func settleBriefly(_ mount: Mount, _ stream: ResponseStream) throws {
    do {
      try settle([mount], until: SystemClock().now + 5_000_000_000, stream)
    } catch let error as ControlError {
      guard error.code == .timedOut else { throw error }
    }
  }

  /// Brings what a zone holds back into the zone that it came out of, when its share has ended.
  /// Nothing is stored again.
  /// - Parameters:
  ///   - zone: the zone, whose share has ended.
  ///   - hadReaders: whether others could ever read it, who have to learn of the end.
  /// - Returns: false if the zone didn't come out of another one; then nothing was done.
  /// - Throws: why it can't be brought back now; then its folder is mirrored as before.
  func returnToOuterZone(_ zone: Zone, hadReaders: Bool) throws -> Bool {
    guard let nesting = try container.nesting(of: zone.id) else { return false }
    guard try container.zone(nesting.outer)?.header.isPurged == false else {
      // There is nothing to go back to: it is a folder by itself from here on.
      try container.release(nesting)
      return false
    }
    let outer = mount(of: nesting.outer)
    let inner = mounts(of: zone.id)
    for mount in inner { pause(mount) }
    do {
      try container.bringBack(nesting, modified: inner.first.flatMap { Self.modified($0.path) })
    } catch {
      for mount in inner { try startMount(zone, mount.entry) }
      throw error
    }
    if let outer {
      do { try outer.withEngine { try $0.takeBackReferences() } } catch {
        // The outer mount does it by itself as soon as it can.
        log.warning("\(Control.Path(outer.path)): what came back is still to be taken: \(error)")
      }
    } else {
      for mount in inner { try MountEngine.abandon(mount.folder, mount.part, mount.isFile, index) }
    }
    try container.drop(nesting, hadReaders: hadReaders)
    return true
  }

  /// When what is at the path was changed, in nanoseconds since 1970.
  private static func modified(_ path: [UInt8]) -> Int64? {
    var status = stat()
    guard path.withPath({ lstat($0, &status) }) == 0 else { return nil }
    return status.st_mtim.nanoseconds
  }

  /// Goes on where an interruption left zones whose share was stopped, and whose records are still
  /// to go back.
  func finishReturns() {
    do {
      for nesting in try container.nestings() where nesting.device == container.account.device.id {
        guard let zone = try container.zone(nesting.part.zone), zone.header.genesis != nil,
          zone.header.share == nil
        else { continue }
        _ = try returnToOuterZone(zone, hadReaders: true)
      }
    } catch {
      log.warning("a folder whose share was stopped stays in a zone of its own: \(error)")
    }
  }

  /// Takes away what an interruption left of zones that were to come out of others.
  /// - Returns: the zones of which it isn't known now whether they did: nobody is to mirror them.
  func tidyNestings() -> Set<ZoneID> {
    do {
      try container.dropUnlinkedZones()
    } catch {
      log.warning("zones that were being made can't be looked at: \(error)")
    }
    do {
      return Set(try container.unlinkedNestings().map(\.part.zone))
    } catch {
      log.warning("the account can't be read: \(error)")
      return []
    }
  }

  func isFolder(_ path: Control.Path) -> Bool {
    var status = stat()
    return path.bytes.withPath { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension Daemon: NestedMounts {
  func nesting(of zone: ZoneID) throws -> Nesting? {
    if let known = try container.nesting(of: zone) { return known }
    // Another device made it a moment ago.
    try container.refresh()
    return try container.nesting(of: zone)
  }

  func nest(
    _ record: RecordID, of zone: Zone, title: String, path: [UInt8]
  ) throws -> Nesting {
    try container.nest(record, of: zone, title: title, path: path)
  }

  func path(of part: ZonePart) -> [UInt8]? { mounts.withLock { $0.byPart[part]?.path } }

  func mirror(_ part: ZonePart, at path: [UInt8], isFile: Bool) throws {
    if let known = mounts.withLock({ $0.byPart[part] }) {
      guard known.path != path else {
        // It may wait for its mark.
        return known.mailbox.hint([.everything])
      }
      pause(known)
    }
    guard let zone = try container.zone(part.zone) else {
      throw CloudError(
        .zoneNotFound, "the account doesn't know the zone of \(Control.Path(path))",
        remedy: "nothing to do, it is tried again")
    }
    try container.addMount(part, path: path, isFile: isFile)
    let mount = try startMount(zone, container.mountEntry(part, path: path, isFile: isFile))
    events.add(.mountAdded, mount: mount, path: path, text: "mirrored by itself from now on")
  }

  func pause(_ part: ZonePart) {
    if let mount = mounts.withLock({ $0.byPart[part] }) { pause(mount) }
  }

  func forget(_ part: ZonePart) throws { try container.removeMount(part) }
}

extension Mount {
  /// Runs something with the engine on its thread, and waits for it.
  func withEngine<Answer: Sendable>(
    _ body: @escaping @Sendable (MountEngine) throws -> Answer
  ) throws -> Answer {
    let waiter = Waiter<Result<Answer, any Error>>()
    mailbox.post(.run { engine in waiter.complete(Result { try body(engine) }) })
    // Bounded by the mount's life: `end` answers what nobody runs any more.
    while true {
      if let answer = waiter.wait(until: clock.now + 500_000_000) { return try answer.get() }
      guard !hasEnded.withLock({ $0 }) else {
        throw ControlError(
          .interrupted, "\(Control.Path(path)) isn't mirrored any more.",
          remedy: "See `cairn status`.")
      }
    }
  }
}
