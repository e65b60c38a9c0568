import CairnCloud
import CairnControl
import CairnFolders
import CairnZone

/// The operation that takes something out of a folder's past for good. Only the owner may.
struct ForgetOperations: Operations {
  let one: OpenContainer
  let targets: TargetResolver

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.HistoryForget.self) { request, _ in try forget(request) }
  }

  private func forget(
    _ request: Control.HistoryForget
  ) throws -> Control.HistoryForgetReply {
    let subject = try PastPath(request.path, in: targets, for: Control.HistoryForget.self)
    let zone = subject.mount.zone
    if request.dryRun { try HistoryOperations.refresh(zone) } else { try zone.pull() }
    guard zone.header.owner == one.container.account.user else {
      throw ControlError(
        .permissionFailure,
        "Versions of \(subject.path) can't be forgotten: only the owner of the folder decides what "
          + "is kept of its past.",
        remedy: "Ask the owner.", path: subject.path)
    }
    let (past, found) = try zone.read { view in try self.past(subject, request.version, in: view) }
    var reply = found
    guard !request.dryRun else { return reply }
    try one.container.ownership.forget(past, in: zone)
    reply.garbage = try GarbageOperations(one: one).collect(isTrial: false)
    reply.until = Control.Time(
      nanoseconds: Control.Time.now().nanoseconds + Upkeep.garbageLife * 1_000_000_000)
    return reply
  }

  private func past(
    _ subject: PastPath, _ version: UInt64?, in view: ZoneView
  ) throws -> (PastToForget, Control.HistoryForgetReply) {
    guard let last = try subject.last(in: view) else { throw subject.unknown }
    do {
      let past = try PastToForget(of: last.version.record.id, version: version, in: view)
      let elsewhere = try past.elsewhere(in: view)
      return (
        past,
        Control.HistoryForgetReply(
          versions: try past.versions.map { try told($0.record, $0.began, subject, view) },
          bytes: past.bytes,
          elsewhere: try elsewhere.map {
            try told($0.record, $0.isPresent ? nil : $0.record.changed.sequence, subject, view)
          })
      )
    } catch let refusal as PastToForget.Refusal {
      throw error(refusal, subject, version)
    }
  }

  private func told(
    _ record: Record, _ version: UInt64?, _ subject: PastPath, _ view: ZoneView
  ) throws -> Control.FileVersion {
    let names = try PastPath.names(
      of: record, at: version ?? view.header.sequence, below: subject.mount.scope.base, in: view)
    let path = names.map { names in
      Control.Path(subject.mount.path + names.flatMap { [UInt8(ascii: "/")] + $0.bytes })
    }
    return Control.FileVersion(
      path: path, version: version,
      time: Control.Time(nanoseconds: record.changed.time),
      size: Int64(clamping: record.content?.size ?? UInt64(record.target?.count ?? 0)))
  }

  private func error(
    _ refusal: PastToForget.Refusal, _ subject: PastPath, _ version: UInt64?
  ) -> ControlError {
    let path = subject.path
    switch refusal {
    case .isDirectory:
      return ControlError(
        .invalidArguments, "\(path) is a directory, which has no versions of its own.",
        remedy: "Name the files: `cairn history \(path.typed)` lists what was in it.", path: path)
    case .isPresent:
      return ControlError(
        .invalidArguments, "Version \(version ?? 0) is what \(path) is now.",
        remedy: "Change or delete the file first, then have its past forgotten.", path: path)
    case .isUnknown:
      let which = version.map { "version \($0)" } ?? "version but what it is now"
      return ControlError(
        .unknownItem, "\(path) has no \(which).",
        remedy: "`cairn history \(path.typed)` lists its versions.", path: path)
    }
  }
}
