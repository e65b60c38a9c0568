import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The operation that permanently deletes earlier versions from a folder's history. Only the owner
/// can do that.
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
    // The last record in a former zone becomes a past version there only when it is deleted.
    if !request.dryRun { try one.container.formers.settle() }
    let past = try subject.past(in: one.container)
    let version = request.version.map {
      Control.VersionName($0, in: request.zone, of: request.record)
    }
    let (found, forgotten) = try self.past(subject, past, version)
    var reply = found
    guard !request.dryRun else { return reply }
    for (zone, past) in forgotten { try one.container.ownership.forget(past, in: zone) }
    reply.garbage = try GarbageOperations(one: one).collect(isTrial: false)
    reply.until = Control.Time(
      nanoseconds: Control.Time.now().nanoseconds + Upkeep.garbageLife * 1_000_000_000)
    return reply
  }

  /// Returns the versions to forget in each zone that has versions of the file, and the answer.
  private func past(
    _ subject: PastPath, _ past: JoinedPast, _ version: Control.VersionName?
  ) throws -> (Control.HistoryForgetReply, [(zone: Zone, past: PastToForget)]) {
    let (record, meant) = try past.read { view -> (RecordID, (zone: ZoneID?, sequence: UInt64)?) in
      guard version != nil else {
        guard let last = try subject.last(in: view) else { throw subject.unknown }
        return (last.version.record.id, nil)
      }
      let chosen = try PastChoice(subject: subject, at: nil, version: version).chosen(in: view)
      return (chosen.found.version.record.id, view.entry(at: chosen.found.version.began))
    }
    var reply = Control.HistoryForgetReply(versions: [], bytes: 0, elsewhere: [])
    var (forgotten, refusal) = ([(zone: Zone, past: PastToForget)](), PastToForget.Refusal?.none)
    for (zone, record) in try past.zones(of: record)
    where zone.header.owner == one.container.account.user {
      let former = zone.id == past.zone.id ? nil : zone.id.description
      guard meant.map({ $0.zone?.description == former }) ?? true else { continue }
      do {
        let found = try zone.read { view in
          let found = try PastToForget(of: record, version: meant?.sequence, in: view)
          return (found, try found.elsewhere(in: view))
        }
        forgotten.append((zone, found.0))
        reply.bytes += found.0.bytes
        reply.versions += try found.0.versions.map {
          try told($0.record, $0.began, former, subject, past)
        }
        reply.elsewhere += try found.1.map {
          try told(
            $0.record, $0.isPresent ? nil : $0.record.changed.sequence, former, subject, past)
        }
      } catch let error as PastToForget.Refusal {
        refusal = refusal ?? error
      }
    }
    if forgotten.isEmpty { throw error(refusal ?? .isUnknown, subject, version?.text) }
    return (reply, forgotten)
  }

  private func told(
    _ record: Record, _ version: UInt64?, _ former: String?, _ subject: PastPath,
    _ past: JoinedPast
  ) throws -> Control.FileVersion {
    let names = try past.read { view in
      let moment = version.flatMap { view.moment(after: $0, in: former) }
      let known = try moment.flatMap { try view.version(of: record.id, at: $0)?.record }
      return try PastPath.names(
        of: known ?? record, at: moment ?? view.now, below: subject.mount.scope.base, in: view)
    }
    let path = names.map { names in
      Control.Path(subject.mount.path + names.flatMap { [UInt8(ascii: "/")] + $0.bytes })
    }
    return Control.FileVersion(
      path: path, version: version, zone: former,
      time: Control.Time(nanoseconds: record.changed.time),
      size: Int64(clamping: record.content?.size ?? UInt64(record.target?.count ?? 0)))
  }

  private func error(
    _ refusal: PastToForget.Refusal, _ subject: PastPath, _ version: String?
  ) -> ControlError {
    let path = subject.path
    switch refusal {
    case .isDirectory:
      return ControlError(
        .invalidArguments, "\(path) is a directory, which has no versions of its own.",
        remedy: "Name the files: `cairn history \(path.typed)` lists what was in it.", path: path)
    case .isPresent:
      return ControlError(
        .invalidArguments, "Version \(version ?? "") is what \(path) is now.",
        remedy: "Change or delete the file first, then have its past forgotten.", path: path)
    case .isUnknown:
      let which = version.map { "version \($0)" } ?? "version but what it is now"
      return ControlError(
        .unknownItem, "\(path) has no \(which).",
        remedy: "`cairn history \(path.typed)` lists its versions.", path: path)
    }
  }
}
