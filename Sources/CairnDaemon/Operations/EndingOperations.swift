import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Synchronization

/// The operations that end a share, or this person's participation in it.
struct EndingOperations: Operations {
  let mirrors: Mirrors
  let departures: Departures
  let shares: Shares
  let settling: Settling

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareLeave.self) { [self] in try leaveShare($0, $1) }
    routes.answer(Control.ShareStop.self) { [mirrors, self] request, _ in
      try mirrors.making { try stopShare(request) }
    }
  }

  func leaveShare(
    _ request: Control.ShareLeave, _ stream: ResponseStream
  ) throws -> Control.LeaveReply {
    let zone: Zone
    do {
      zone = try shares.zone(of: request.share, for: Control.ShareLeave.self)
      _ = try zone.isToBeRead()
    } catch {
      if let reply = finish(Control.ShareLeave.self, request.share, .shareLeft, Self.left) {
        return reply
      }
      throw error
    }
    guard zone.header.owner != one.container.account.user else {
      guard zone.header.share != nil else { throw shares.notShared(zone) }
      throw ControlError(
        .permissionFailure, "You own this share, so you can't leave it.",
        remedy: "Run `cairn share stop`, or `cairn share transfer` first.")
    }
    guard let mount = mounts.first(of: zone.id) else {
      let reply = begin(Control.ShareLeave.self, zone, nil, kept: false)
      try one.container.participation.leave(zone)
      try one.container.nestings.unlink(one.container.nestings.all(of: zone.id))
      try one.container.participation.forgetEverything(of: zone)
      end(zone, .shareLeft, nil, Self.left(reply))
      mounts.ended.answer(zone.id)
      return reply
    }
    if request.keepCopy { try receiveEverything(of: zone, stream) }
    let reply = begin(Control.ShareLeave.self, zone, mount, kept: request.keepCopy)
    if request.keepCopy {
      try leaveKeeping(zone, mount)
    } else {
      try departures.end(mount, because: .left, in: mirrors)
    }
    mounts.ended.answer(zone.id)
    return reply
  }

  /// Waits until the folders have everything that is in the share now: changes that another device
  /// just sent belong to the copy, too. Unsent changes of this device don't prevent leaving.
  private func receiveEverything(of zone: Zone, _ stream: ResponseStream) throws {
    let all = mounts.of(zone.id)
    do {
      try settling.settle(all, until: Monotonic.now + 20_000_000_000, stream)
    } catch let error as ControlError {
      guard error.code == .timedOut else { throw error }
      let isBehind = all.contains { mount in
        mount.snapshot.withLock { $0.progress.pendingRemote > 0 }
      }
      guard isBehind else { return }
      throw ControlError(
        .timedOut, "You haven't left: the folder still lacks changes of others.",
        remedy: "Run `cairn wait`, then leave. Without --keep-copy nothing is waited for.")
    }
  }

  /// Keeps the files. They become a folder of this person, with new ids in a new zone, and are
  /// stored again. Inside of another mirrored folder, they are handled like new files there. The
  /// mounts end first, so that the end of the share doesn't clear the folders.
  private func leaveKeeping(_ zone: Zone, _ mount: Mount) throws {
    let nestings = try one.container.nestings.all(of: zone.id)
    guard !nestings.isEmpty else { return try becomeOwn(mount, zone) }
    let all = mounts.of(zone.id)
    for mount in all { mounts.end(mount, forget: true) }
    do {
      try one.container.participation.leave(zone)
    } catch {
      for mount in all {
        try MountMark.claim(mount.folder, for: mount.part, isFile: mount.isFile)
        try mirrors.start(zone, mount.entry)
      }
      throw error
    }
    try one.container.nestings.unlink(nestings)
    try one.container.participation.forgetEverything(of: zone)
    end(
      zone, .shareLeft, mount,
      "you left the share; its files stay in the folder that contains them")
    for outer in Set(nestings.map(\.outer)) {
      try mounts[ZonePart(outer)]?.ask { try $0.takeBackReferences() }
    }
  }

  /// Leaves the share of a folder that is in no other one. It mirrors a new zone from then on.
  private func becomeOwn(_ mount: Mount, _ zone: Zone) throws {
    let new = try one.container.newZone(named: Control.Path(mount.path).title)
    let item = MountIntent.Item(part: ZonePart(new.id), path: mount.path, source: zone.id)
    _ = try IntendedMounts(mirrors: mirrors).carryOut(MountIntent(new: new, items: [item]))
    end(
      zone, .shareLeft, mount, "you left the share; its files stay as a folder of your own")
  }

  func stopShare(_ request: Control.ShareStop) throws -> Control.LeaveReply {
    let zone: Zone
    do { zone = try shares.upToDate(request.share, for: Control.ShareStop.self) } catch {
      if let reply = finishStop(request) { return reply }
      throw error
    }
    guard zone.header.owner == one.container.account.user else {
      throw ControlError(
        .permissionFailure, "Only the owner may stop a share.",
        remedy: "`cairn share leave` ends your own part in it.")
    }
    let mount = mounts.first(of: zone.id)
    let hadReaders = zone.hadReaders
    let isShared = zone.header.share != nil
    // After an interruption, only the records from another zone must still return to it.
    if !isShared, try one.container.nestings.all(of: zone.id).isEmpty {
      if let reply = finishStop(request) { return reply }
      throw shares.notShared(zone)
    }
    let reply = begin(Control.ShareStop.self, zone, mount, kept: true)
    if isShared { try one.container.access.stopSharing(zone) }
    try NestedZones(mirrors: mirrors).returnToOuterZones(zone, hadReaders: hadReaders)
    end(zone, .shareStopped, mount, Self.stopped(reply))
    mounts.ended.answer(zone.id)
    return reply
  }

  private static func left(_ reply: Control.LeaveReply) -> String { "you left “\(reply.title)”" }

  private static func stopped(_ reply: Control.LeaveReply) -> String {
    "“\(reply.title)” isn't shared any more"
  }

  private func finishStop(_ request: Control.ShareStop) -> Control.LeaveReply? {
    finish(Control.ShareStop.self, request.share, .shareStopped, Self.stopped)
  }

  /// Answers a command again whose first answer was lost with the daemon, after its work.
  private func finish<Operation: ShareOperation>(
    _ operation: Operation.Type, _ reference: Control.ShareReference, _ kind: Control.EventKind,
    _ text: (Control.LeaveReply) -> String
  ) -> Control.LeaveReply? where Operation.Reply == Control.LeaveReply {
    guard
      let (zone, reply, isTold) = mounts.ended.unanswered(
        operation.name, reference, Control.LeaveReply.self)
    else { return nil }
    if !isTold {
      mounts.ended.add(
        zone, events.add(kind, mount: nil, path: reply.path?.bytes, text: text(reply)))
    }
    mounts.ended.answer(zone)
    return reply
  }

  private func begin<Operation: ShareOperation>(
    _ operation: Operation.Type, _ zone: Zone, _ mount: Mount?, kept: Bool
  ) -> Control.LeaveReply where Operation.Reply == Control.LeaveReply {
    let reply = reply(zone, mount, kept: kept)
    mounts.ended.begin(zone.id, operation.name, at: reply.path, reply)
    return reply
  }

  /// Reports the end of a share, now and to later requests.
  private func end(_ zone: Zone, _ kind: Control.EventKind, _ mount: Mount?, _ text: String) {
    mounts.ended.add(
      zone.id, events.add(kind, mount: mount?.id, path: mount?.path, text: text),
      link: kind == .shareLeft ? one.container.links.link(to: zone).description : nil)
  }

  private func reply(_ zone: Zone, _ mount: Mount?, kept: Bool) -> Control.LeaveReply {
    Control.LeaveReply(
      id: zone.id.description, title: zone.header.share?.title ?? zone.header.genesis?.name ?? "",
      path: mount.map { Control.Path($0.path) }, kept: kept)
  }
}
