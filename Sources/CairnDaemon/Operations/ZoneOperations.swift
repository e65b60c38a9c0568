import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations about zones and records.
struct ZoneOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let shares: Shares
  let persons: Persons
  let presence: PresenceWatch

  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Zones.self) { request, _ in try zones(request) }
    routes.answer(Control.Stat.self) { request, _ in try describe(request) }
    routes.answer(Control.Inspect.self) { _, _ in try inspect() }
  }

  func zones(_ request: Control.Zones) throws -> Control.ZonesReply {
    let ended = try one.container.formers.ended()
    let zones =
      try one.container.privateDatabase.zones().filter { !ended.contains($0.id) }
      + one.container.sharedDatabase.zones() + publicZones()
    let told = try zones.map { try shares.current($0) }.compactMap { zone -> Control.ZoneStatus? in
      let header = zone.header
      let scope = Control.Scope(zone.scope)
      guard request.scope == nil || request.scope == scope, let genesis = header.genesis else {
        return nil
      }
      return Control.ZoneStatus(
        zone: zone.id.description, name: genesis.name,
        owner: persons.told(header.owner ?? genesis.owner), scope: scope,
        title: header.share?.title,
        sequence: header.sequence, epoch: header.epoch,
        path: mounts.first(of: zone.id).map { Control.Path($0.path) })
    }
    return Control.ZonesReply(zones: told.sorted { ($0.name, $0.zone) < ($1.name, $1.zone) })
  }

  /// Returns the public zones. While the container is away, nobody's may be known.
  private func publicZones() throws -> [Zone] {
    do { return try one.container.publicDatabase.zones() } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
      return []
    }
  }

  func describe(_ request: Control.Stat) throws -> Control.StatReply {
    var standings: [ZonePart: MountStanding] = [:]
    let all = try request.paths.map { try describe(path: $0, &standings) }
    guard request.onlyShared else { return Control.StatReply(paths: all) }
    return Control.StatReply(
      paths: all.filter { $0.share != nil && $0.record != nil && $0.state != .sending })
  }

  /// Returns the state of one path; `standings` has the states of the mounts of earlier paths.
  private func describe(
    path: Control.Path, _ standings: inout [ZonePart: MountStanding]
  ) throws -> Control.PathStatus {
    guard let target = try targets.look(at: path), let mount = target.mount else {
      return Control.PathStatus(path: path, shared: .no)
    }
    let (header, relative) = (mount.zone.header, target.relative)
    var status = Control.PathStatus(
      path: path, target: target.kind, shared: mount.zone.scope == .public ? .public : .no,
      scope: Control.Scope(mount.zone.scope))
    status.zone = mount.zone.id.description
    status.owner = header.owner.map { persons.told($0) }
    if let share = header.share {
      status.shared =
        Control.Role(of: one.container.account.user, header) == .owner ? .owner : .participant
      status.share = mount.zone.id.description
      status.title = share.title
    }
    let standing = standings[mount.part] ?? MountStanding(mount)
    standings[mount.part] = standing
    guard !relative.isEmpty else {
      try describe(mount.scope.base, in: mount.zone, &status)
      status.state = standing.whole
      return status
    }
    guard let entry = try entry(mount, relative) else {
      status.state = standing.state(ofUnknown: relative)
      return status
    }
    // What no commit has yet is an id of ours only.
    if entry.changed != nil { try describe(entry.id, in: mount.zone, &status) }
    status.state = standing.state(of: entry)
    status.openBy = presence.openers(of: entry.id, in: mount.zone.id)
    return status
  }

  private func describe(
    _ id: RecordID, in zone: Zone, _ status: inout Control.PathStatus
  ) throws {
    guard let record = try zone.read({ try $0.record(id) }) else { return }
    status.record = id.description
    status.changeTag = String(record.changed.sequence)
    status.createdBy = persons.told(record.created.user)
    status.changedBy = persons.told(record.changed.user)
  }

  private func entry(_ mount: Mount, _ relative: [UInt8]) throws -> FolderReader.Entry? {
    let reader = FolderReader(index: one.index, zone: mount.zone, scope: mount.scope)
    do {
      return try reader.entry(at: relative)
    } catch let error as FolderError where error.code == .notFound {
      return nil
    }
  }

  func inspect() throws -> Control.InspectReply {
    let survey = try one.container.upkeep.survey()
    return Control.InspectReply(
      container: survey.file.id.description, format: Int(ContainerFile.format),
      created: Control.Time(nanoseconds: survey.file.created), note: survey.file.note,
      users: survey.users.map { user in
        Control.InspectedUser(
          user: user.user.description, entries: user.entries, messages: user.messages,
          packs: user.packs, bytes: user.bytes)
      },
      zones: survey.zones.map { zone in
        Control.InspectedZone(
          zone: zone.zone.description, entries: zone.entries, bytes: zone.bytes)
      })
  }
}
