import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Glibc

/// The operation on a person's rights to a file: answered from the local index, and thus correct
/// without the container, too.
struct RightsOperations: Operations {
  let one: OpenContainer
  let targets: TargetResolver
  let persons: Persons

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Can.self) { request, _ in try can(request) }
    routes.answer(Control.CanModify.self) { request, _ in canModify(request) }
  }

  func can(_ request: Control.Can) throws -> Control.CanReply {
    guard let target = try targets.look(at: request.path), let mount = target.mount else {
      try requireExistence(request.path)
      return Control.CanReply(
        path: request.path, scope: nil, permits: unmirroredPermits(request.path))
    }
    let relative = target.relative
    let entry = try self.entry(mount, relative, request.path)
    let zone = mount.zone
    let header = zone.header
    let permits: [Control.Permit]
    switch zone.scope {
    case .public: permits = try publicPermits(zone, entry)
    case .private, .shared:
      if one.container.account.user == header.owner {
        permits = ownPermits(header, isRoot: relative.isEmpty)
      } else {
        permits = sharedPermits(header, isRoot: relative.isEmpty, isSent: entry?.changed != nil)
      }
    }
    return Control.CanReply(path: request.path, scope: Control.Scope(zone.scope), permits: permits)
  }

  func canModify(_ request: Control.CanModify) -> Control.CanModifyReply {
    let allowed = !one.container.isAnonymous
    let reason =
      allowed
      ? "You have an account in this container."
      : "This home is anonymous: it reads the public database, and writes nothing."
    return Control.CanModifyReply(scope: request.scope, allowed: allowed, reason: reason)
  }

  /// The name at a path of a mount; nil for the mount's root.
  private func entry(
    _ mount: Mount, _ relative: [UInt8], _ path: Control.Path
  ) throws -> FolderReader.Entry? {
    guard !relative.isEmpty else { return nil }
    do {
      return try FolderReader(index: one.index, zone: mount.zone, scope: mount.scope).entry(
        at: relative)
    } catch let error as FolderError where error.code == .notFound {
      // An ignored or very new file exists nevertheless.
      try requireExistence(path)
      return nil
    }
  }

  private func requireExistence(_ path: Control.Path) throws {
    guard !path.exists else { return }
    throw path.missing(.unknownItem, "Check the path.")
  }

  // MARK: The rules

  /// Row 46, case 2: Cairn forbids nothing about a file that no zone has.
  private func unmirroredPermits(_ path: Control.Path) -> [Control.Permit] {
    let free = "It isn't mirrored: only this machine's permissions count."
    let share: Control.Permit
    if one.container.isAnonymous {
      share = Control.Permit(.share, false, Self.anonymous)
    } else {
      share = Control.Permit(.share, true, "It is yours to share: `cairn share create`.")
    }
    return [
      .init(.read, true, free), .init(.update, true, free), .init(.delete, true, free), share,
    ]
  }

  private static let anonymous = "This home is anonymous: that needs an account."

  private func ownPermits(_ header: ZoneHeader, isRoot: Bool) -> [Control.Permit] {
    let mine = header.share == nil ? "It is yours." : "It is yours, and you share it."
    let delete =
      isRoot ? "It is yours; a folder that is gone is no longer mirrored, its zone stays." : mine
    let share =
      header.share == nil
      ? "It is yours to share." : "It is in a share of yours; invite whom you like."
    return [
      .init(.read, true, mine), .init(.update, true, mine), .init(.delete, true, delete),
      .init(.share, true, share),
    ]
  }

  private func sharedPermits(
    _ header: ZoneHeader, isRoot: Bool, isSent: Bool
  ) -> [Control.Permit] {
    let rights = header.rights(of: one.container.account.user)
    let owner = header.owner.map { persons.told($0) }
    let who = owner.map { $0.handle ?? $0.user } ?? "somebody"
    guard rights.contains(.read) else {
      let reason = "You don't take part in this share of \(who) any more."
      return Control.Verb.allCases.map { Control.Permit($0, false, reason) }
    }
    let mayWrite = rights.contains(.write)
    let write =
      mayWrite
      ? "\(who) shares it with you, to read and write."
      : "\(who) shares it with you read-only."
    let leaving = "Only \(who) can delete the share; removing its folder is leaving it."
    let update = mayWrite && !isSent && !isRoot ? "It isn't sent yet, and you may write." : write
    let mayShare = rights.contains(.administer)
    return [
      .init(.read, true, "\(who) shares it with you."),
      .init(.update, mayWrite, update),
      .init(.delete, mayWrite && !isRoot, isRoot ? leaving : write),
      .init(
        .share, mayShare,
        mayShare
          ? "You are an administrator of this share."
          : "Only its owner and administrators invite."),
    ]
  }

  /// Rows 46 and 102: the world reads, the creator changes and deletes.
  private func publicPermits(
    _ zone: Zone, _ entry: FolderReader.Entry?
  ) throws -> [Control.Permit] {
    let read = Control.Permit(.read, true, "Everyone can read the public database.")
    let share = Control.Permit(
      .share, false, "It is public already: the public database has no shares.")
    guard !one.container.isAnonymous else {
      return [
        read, .init(.update, false, Self.anonymous), .init(.delete, false, Self.anonymous), share,
      ]
    }
    let author = zone.author.map { persons.told($0) }
    guard zone.mayWrite else {
      let name = author.map { $0.handle ?? $0.user } ?? "Somebody else"
      let reason = "\(name) publishes it, and alone may change it."
      return [read, .init(.update, false, reason), .init(.delete, false, reason), share]
    }
    guard let entry else {
      return [
        read, .init(.update, true, "Whatever you put there is published."),
        .init(.delete, false, "It mirrors what you publish; see `cairn public unmount`."), share,
      ]
    }
    let isSent = try zone.read { try $0.record(entry.id) } != nil
    let reason = isSent ? "You published it." : "It isn't sent yet, and yours."
    return [read, .init(.update, true, reason), .init(.delete, true, reason), share]
  }
}

extension Control.Permit {
  fileprivate init(_ verb: Control.Verb, _ allowed: Bool, _ reason: String) {
    self.init(verb: verb, allowed: allowed, reason: reason)
  }
}
