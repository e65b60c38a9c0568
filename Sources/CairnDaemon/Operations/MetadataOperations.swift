import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The operation on the attributes of files that a folder carries beside the executable bit and the
/// time.
struct MetadataOperations: Operations {
  let one: OpenContainer
  let targets: TargetResolver
  let shares: Shares

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Metadata.self) { [self] request, _ in
      let mount = try targets.mounted(request.path, for: Control.Metadata.self).mount
      if let full = request.full { try set(full, mount) }
      return try reply(mount)
    }
  }

  /// Decides for everybody in a folder of this person, and for this device in one of others.
  func set(_ isFull: Bool, _ mount: Mount) throws {
    guard mount.zone.scope == .private else {
      return try mount.ask { try $0.chooseMetadata(isFull) }
    }
    try carry(isFull, in: mount.zone)
    guard isFull else { return }
    // What this device has becomes what everybody gets.
    _ = try mount.ask { try $0.giveMetadata() }
  }

  /// Has a zone of this person carry more attributes, or not.
  private func carry(_ isFull: Bool, in zone: Zone) throws {
    try zone.pull()
    let carried = isFull ? MountEngine.supportedMetadata : []
    guard zone.header.carried != carried else { return }
    try one.container.ownership.setCarried(carried, of: zone)
    shares.changed(
      zone,
      isFull
        ? "modes and attributes of files are carried from now on"
        : "only the executable bit and the time of files are carried from now on")
  }

  private func reply(_ mount: Mount) throws -> Control.MetadataReply {
    let isMine = mount.zone.scope == .private
    let metadata = try mount.ask { $0.report.disk.metadata }
    return Control.MetadataReply(
      mount: mount.id, path: Control.Path(mount.path), owned: isMine,
      carried: kinds(metadata.carried), applied: kinds(metadata.applied),
      chosen: isMine || metadata.isChosen)
  }

  private func kinds(_ carried: CarriedAttributes) -> [Control.MetadataKind] {
    var kinds: [Control.MetadataKind] = []
    if carried.contains(.mode) { kinds.append(.mode) }
    if carried.contains(.extended) { kinds.append(.extended) }
    return kinds
  }
}
