import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// Decides what a path or an id refers to, and refuses a target that an operation doesn't accept.
/// No other type turns what a person named into a mount or a zone. It must not know what the
/// operations do.
struct TargetResolver: Sendable {
  let one: OpenContainer
  let mounts: Mounts

  // MARK: For an operation

  /// The target of an operation.
  /// - Parameters:
  ///   - reference: The path or id that a person named.
  ///   - operation: The operation, which declares the targets that it accepts.
  /// - Returns: The target. Its zone may be out of date.
  /// - Throws: `ControlError` with `.invalidArguments` if the operation doesn't accept the target,
  ///   and with `.unknownItem` or `.zoneNotFound` if nothing of that name is known here.
  func target<Operation: TargetedOperation>(
    _ reference: Control.ShareReference, for operation: Operation.Type
  ) throws -> Target {
    switch reference {
    case .path(let path): return try mounted(path, for: operation).target
    case .id(let text):
      let zone = try zone(ofID: text)
      precondition(Operation.targets.kinds.contains(.id), "\(Operation.name) takes an id")
      return Target(kind: .id, zone: zone, mount: mounts.first(of: zone.id), relative: [])
    }
  }

  /// The mount around a path, and the path below its root, for an operation that accepts it.
  func mounted<Operation: TargetedOperation>(
    _ path: Control.Path, for operation: Operation.Type
  ) throws -> (mount: Mount, relative: [UInt8], target: Target) {
    guard let target = try look(at: path), let mount = target.mount else { throw elsewhere(path) }
    guard Operation.targets.kinds.contains(target.kind) else {
      throw TargetRefusal(
        target: target, mount: mount, path: path, targets: Operation.targets,
        siblings: mounts.of(target.zone.id).filter { $0 !== mount },
        isMine: target.zone.header.owner == one.container.account.user,
        isPart: try !isWhole(mount)
      ).error
    }
    return (mount, target.relative, target)
  }

  /// The mounts that a request is about: the one around the path, or all.
  func mounts<Operation: TargetedOperation>(
    at path: Control.Path?, for operation: Operation.Type
  ) throws -> [Mount] {
    guard let path else { return mounts.all }
    return [try mounted(path, for: operation).mount]
  }

  // MARK: For nobody in particular

  /// The target at a path; nil if the path is in no mirrored folder.
  func look(at path: Control.Path) throws -> Target? {
    guard let (mount, relative) = mounts.find(path.bytes) else { return nil }
    let kind: Control.TargetKind
    if relative.isEmpty {
      kind = try isWhole(mount) ? .folder : .part
    } else {
      kind = path.exists ? .inside : .missing
    }
    return Target(kind: kind, zone: mount.zone, mount: mount, relative: relative)
  }

  /// The zone whose id begins with a text.
  func zone(ofID text: String) throws -> Zone {
    let zones = try one.container.privateDatabase.zones() + one.container.sharedDatabase.zones()
    let ended = try one.container.formers.ended()
    let found = zones.filter { $0.id.begins(with: text) && !ended.contains($0.id) }
    guard found.count <= 1 else {
      throw ControlError(
        .invalidArguments, "The ids of \(found.count) shares begin with \(text).",
        remedy: "Give more digits; `cairn share list` shows twelve.")
    }
    guard let zone = found.first else {
      if let refusal = mounts.ended.refusal(ofZone: text) { throw refusal }
      throw ControlError(
        .unknownItem, "There is no share \(text) here.",
        remedy: "Take a path or an id from `cairn share list`.")
    }
    return zone
  }

  /// Returns true if a mount's root stands for its whole zone, with nothing beside it.
  private func isWhole(_ mount: Mount) throws -> Bool {
    guard !mount.part.isWhole, mount.zone.scope != .public else { return true }
    guard mounts.of(mount.zone.id).count == 1 else { return false }
    return try mount.zone.read { view in
      try view.children(of: .root).allSatisfy { $0 == mount.part.base }
    }
  }

  private func elsewhere(_ path: Control.Path) -> ControlError {
    if let refusal = mounts.ended.refusal(at: path) { return refusal }
    let below = mounts.all.filter { WatchRoots.isInside($0.path, path.bytes) }
    guard let first = below.first else { return path.exists ? unmirrored(path) : absent(path) }
    let more = below.count > 1 ? ", and \(below.count - 1) more" : ""
    return ControlError(
      .unknownItem,
      "\(path) isn't in a folder that Cairn mirrors; it contains "
        + "\(Control.Path(first.path))\(more).",
      remedy: "Name one of these folders; `cairn status` lists them.", path: path)
  }

  private func unmirrored(_ path: Control.Path) -> ControlError {
    ControlError(
      .unknownItem, "\(path) isn't in a folder that Cairn mirrors.",
      remedy: "Run `cairn add` or `cairn share create` first; `cairn status` lists the folders.",
      path: path)
  }

  /// Returns the error for a path without an entry: a folder's name with wrong letters, the name of
  /// a folder that is elsewhere, or a handle in the place of a folder.
  private func absent(_ path: Control.Path) -> ControlError {
    let list = "`cairn status` lists the folders."
    if let handle = Persons(container: one.container).handle(at: path) {
      return ControlError(
        .unknownItem, "There is no folder \(path), but a person with the handle \(handle).",
        remedy: "Name the folder first, and people after it. \(list)", path: path)
    }
    let near = path.similar ?? mirrored(like: path)
    return ControlError(
      .unknownItem, "\(path) doesn't exist, and isn't in a folder that Cairn mirrors.",
      remedy: near.map { "Did you mean \($0)? \(list)" }
        ?? "Run `cairn add` or `cairn share create` first; \(list)", path: path)
  }

  /// Returns the mirrored folder whose name, or whose share's title, is or resembles the last name
  /// of a path.
  private func mirrored(like path: Control.Path) -> Control.Path? {
    let typed = Control.Path(path.lastName).description
    let named = mounts.all.flatMap { mount -> [(name: String, path: [UInt8])] in
      let names = [Control.Path(mount.path).title, mount.zone.header.share?.title]
      return names.compactMap { $0 }.map { ($0, mount.path) }
    }
    let near =
      named.first { $0.name.lowercased() == typed.lowercased() }
      ?? Resemblance.nearest(typed, among: named.map(\.name)).flatMap { near in
        named.first { $0.name == near }
      }
    return near.map { Control.Path($0.path) }
  }
}
