import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The operation that makes a folder the mirror of a new zone, or of one that this person has.
struct AddOperation: Operations {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let teller: MountPresenter

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Add.self) { request, _ in try mirrors.making { try add(request) } }
  }

  private func add(_ request: Control.Add) throws -> Control.AddReply {
    mirrors.clean { try IntendedMounts(mirrors: mirrors).finish() }
    let path = request.path
    let zone = try request.zone.map { try wanted($0) }
    if let known = mounts.find(path.bytes), known.relative.isEmpty,
      zone == nil || zone?.id == known.mount.zone.id
    {
      return Control.AddReply(
        created: false, dryRun: request.dryRun, mount: try teller.describe(known.mount), path: path)
    }
    let isThere = path.exists
    if let zone {
      try checkMirrorable(zone, path)
      if isThere {
        try places.checkFree(path)
      } else {
        try places.checkReceivable(path, isNested: true)
      }
    } else {
      try places.checkUnshared(path)
      try places.checkFree(path)
    }
    let isAnew = request.anew ?? false
    if isThere, !isAnew { try places.checkMark(path) }
    if !request.dryRun {
      try SensitiveFolder.check([path], isMeant: request.sensitive ?? false)
    }
    if request.dryRun { return try counted(path, isThere: isThere) }
    if isThere, isAnew {
      try MountMark.takeAll(from: path.bytes) { try one.container.zone($0.zone) != nil }
    }
    let mount = try zone.map { try mirror($0, path, isThere: isThere) } ?? mirrors.mirror(path)
    return Control.AddReply(
      created: true, mount: try teller.describe(mount), path: path,
      namesakes: zone == nil ? try namesakes(of: mount.zone) : nil)
  }

  /// Returns the result of a dry run.
  private func counted(_ path: Control.Path, isThere: Bool) throws -> Control.AddReply {
    let count = isThere ? try FolderCount.of(path.bytes) : nil
    return Control.AddReply(
      created: false, dryRun: true, path: path, files: count?.files ?? 0,
      directories: count?.directories ?? 0, bytes: Int64(count?.bytes ?? 0),
      ignored: count?.ignored ?? 0,
      skipped: (count?.skipped ?? []).map { problem in
        Control.Problem(
          path: Control.Path(path.bytes + [UInt8(ascii: "/")] + problem.path),
          code: .invalidArguments, message: Failures.sentence(problem.message),
          remedy: Failures.sentence(problem.remedy))
      })
  }

  // MARK: An existing zone

  /// Returns the zone whose id begins so, after all of its log in the container was read.
  private func wanted(_ text: String) throws -> Zone {
    do {
      let zone = try shares.zone(ofID: text)
      try zone.pull()
      return zone
    } catch let error as ControlError where error.code == .unknownItem {
      throw ControlError(
        .unknownItem, "You have no zone \(text).",
        remedy: "`cairn zones` lists yours; give at least six digits of the id.")
    }
  }

  /// Refuses a zone that has a folder on this device, or is in another folder of it.
  private func checkMirrorable(_ zone: Zone, _ path: Control.Path) throws {
    let title = Control.Path(one.title(of: zone))
    if let known = mounts[ZonePart(zone.id)] {
      throw ControlError(
        .alreadyMirrored, "\(title) is mirrored here already, in \(Control.Path(known.path)).",
        remedy: "`cairn remove` it there first.", path: path)
    }
    if let nesting = try one.container.nestings.nesting(of: ZonePart(zone.id)),
      let outer = try one.container.zone(nesting.outer)
    {
      throw ControlError(
        .serverRejectedRequest,
        "\(title) is inside the folder \(Control.Path(one.title(of: outer))).",
        remedy: "Mirror that one, and it comes along: `cairn add DIR --zone "
          + "\(outer.id.digits)`.", path: path)
    }
    guard zone.mayRead else {
      throw ControlError(
        .permissionFailure, "\(title) isn't yours to read any more.",
        remedy: "Ask its owner to invite you again.", path: path)
    }
  }

  /// Mirrors an existing zone, and compares the folder with it. Equal files become one record.
  /// Different files stay beside each other, and nothing is deleted on either side.
  private func mirror(_ zone: Zone, _ path: Control.Path, isThere: Bool) throws -> Mount {
    let part = ZonePart(zone.id)
    let wasMarked = isThere ? try MountMark.mark(on: path.bytes) == part : false
    let item = MountIntent.Item(
      part: part, path: path.bytes, wasMarked: wasMarked, isMade: !isThere)
    return try mirrors.mirror(MountIntent(zone: zone.id, items: [item]))
  }

  /// Returns this person's other zones of the same name that have no folder here, or an automatic
  /// one. Another device may have created such a zone for the same folder, at the same time. Then
  /// the device whose account entry is later finds the other zone.
  private func namesakes(of zone: Zone) throws -> [String] {
    let name = zone.header.genesis?.name
    let ended = try one.container.formers.ended()
    return try one.container.privateDatabase.zones().filter { other in
      guard other.id != zone.id, !ended.contains(other.id),
        mounts.of(other.id).allSatisfy({ cameByItself($0) }),
        try one.container.nestings.all(of: other.id).isEmpty
      else { return false }
      return try shares.current(other).header.genesis?.name == name
    }.map(\.id.description).sorted()
  }

  /// Returns whether this device got a folder because another one has it.
  private func cameByItself(_ mount: Mount) -> Bool {
    guard let folder = one.configuration.folder else { return false }
    return mount.path.starts(with: Array("\(folder)/".utf8))
  }
}
