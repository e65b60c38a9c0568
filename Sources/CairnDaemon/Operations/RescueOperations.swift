import CairnControl
import CairnFolders
import CairnReplica
import CairnZone
import Glibc

/// The operations on recovered files.
struct RescueOperations: Operations {
  let home: Home
  let mounts: Mounts
  let targets: TargetResolver

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.RescueList.self) { request, _ in try rescued(request) }
    routes.answer(Control.RescueRestore.self) { request, _ in try restore(request) }
    routes.answer(Control.RescueClear.self) { request, _ in try clear(request) }
  }

  /// A recovered file, and its rescue folder.
  private struct Aside {
    var entry: Control.RescueEntry
    /// The rescue folder, absolute.
    var folder: [UInt8]
    /// The path within it.
    var path: [UInt8]
    var mount: Mount?
  }

  func rescued(_ request: Control.RescueList) throws -> Control.RescueReply {
    let mount = try request.path.map { try targets.mounted($0, for: Control.RescueList.self).mount }
    let found = try allAside().filter { aside in
      guard let mount, let path = request.path else { return true }
      return aside.entry.mount == mount.id
        && WatchRoots.isInside(aside.entry.rescued.of.bytes, path.bytes)
    }
    return Control.RescueReply(entries: found.map(\.entry))
  }

  private func allAside() throws -> [Aside] {
    let slash = UInt8(ascii: "/")
    var found: [Aside] = []
    for mount in mounts.all {
      let entries = try mount.ask { engine in
        try engine.lookAtRescued()
        return engine.report.rescued
      }
      for entry in entries {
        // Two names lead from the mount to its rescue folder.
        let names = entry.path.split(separator: slash, maxSplits: 2).map { Array($0) }
        guard names.count == 3 else { continue }
        let rescued = mount.told(entry)
        found.append(
          Aside(
            entry: Control.RescueEntry(
              rescued: rescued, size: Self.size(of: rescued.path), mount: mount.id),
            folder: mount.folder + [slash] + names[0] + [slash] + names[1], path: names[2],
            mount: mount))
      }
    }
    let folder = Array(home.rescue.utf8)
    for rescued in try HomeRescue(home: home).list() {
      found.append(
        Aside(
          entry: Control.RescueEntry(rescued: rescued, size: Self.size(of: rescued.path)),
          folder: folder, path: Array(rescued.path.bytes.dropFirst(folder.count + 1))))
    }
    return found
  }

  private static func size(of path: Control.Path) -> Int64 {
    Int64(path.status?.st_size ?? 0)
  }

  /// Returns what is at a path in a rescue folder: one file, or all files in a directory.
  private func aside(_ path: Control.Path, in all: [Aside]) throws -> [Aside] {
    let below = path.bytes + [UInt8(ascii: "/")]
    let found = all.filter { aside in
      aside.entry.rescued.path == path || aside.entry.rescued.path.bytes.starts(with: below)
    }
    guard !found.isEmpty else {
      throw ControlError(
        .unknownItem, "\(path) isn't in a rescue folder.",
        remedy: "`cairn rescue list` shows what is.", path: path)
    }
    return found
  }

  // MARK: Putting back

  func restore(_ request: Control.RescueRestore) throws -> Control.RescueRestoreReply {
    let found = try aside(request.path, in: allAside())
    defer { tidy(found) }
    guard let first = found.first, first.entry.rescued.path != request.path else {
      return Control.RescueRestoreReply(path: Control.Path(try restore(found[0], request)))
    }
    // A directory: with a destination it moves as a whole, otherwise each file to its place.
    let rest = first.entry.rescued.path.bytes.dropFirst(request.path.bytes.count)
    let of = first.entry.rescued.of.bytes
    guard let destination = request.destination else {
      for file in found { _ = try restore(file, request) }
      return Control.RescueRestoreReply(path: Control.Path(Array(of.dropLast(rest.count))))
    }
    var whole = first
    whole.path = Array(first.path.dropLast(rest.count))
    whole.entry.rescued.path = request.path
    whole.entry.rescued.of = Control.Path(Array(of.dropLast(rest.count)))
    return Control.RescueRestoreReply(
      path: Control.Path(
        try restore(
          whole, Control.RescueRestore(path: request.path, destination: destination))))
  }

  /// Moves one entry of a rescue folder to its place, or to the destination.
  private func restore(
    _ found: Aside, _ request: Control.RescueRestore
  ) throws -> [UInt8] {
    let (directory, name, isFlexible) = try place(for: found, request.destination)
    try checkWritable(directory)
    return try RescueFolder(path: found.folder)
      .giveBack(found.path, to: directory, as: name, isFlexible: isFlexible)
  }

  /// The directory and the name of the destination, and whether a taken name may be changed.
  private func place(
    for aside: Aside, _ destination: Control.Path?
  ) throws -> (directory: [UInt8], name: [UInt8], isFlexible: Bool) {
    let of = aside.entry.rescued.of
    let last = of.lastName
    if let destination {
      if destination.isFolder { return (destination.bytes, last, true) }
      let parent = WatchRoots.parent(of: destination.bytes)
      guard Control.Path(parent).isFolder else {
        throw Control.Path(parent).noFolder(.unknownItem)
      }
      return (parent, Array(destination.bytes.dropFirst(parent.count + 1)), false)
    }
    let parent = WatchRoots.parent(of: of.bytes)
    if let mount = aside.mount, WatchRoots.isInside(parent, mount.folder) {
      // The directories above it may have been deleted meanwhile.
      let names = parent.dropFirst(mount.folder.count).split(separator: UInt8(ascii: "/"))
      try RescueFolder.makeFolders(names.map { Array($0) }, in: mount.folder)
    }
    guard Control.Path(parent).isFolder else {
      throw ControlError(
        .unknownItem, "\(Control.Path(parent)), where it was, isn't there any more.",
        remedy: "Give a destination with --to.", path: aside.entry.rescued.path)
    }
    return (parent, last, true)
  }

  /// Refuses a share that this person may only view: a file there would become a recovered file
  /// again.
  private func checkWritable(_ directory: [UInt8]) throws {
    guard let mount = mounts.find(directory)?.mount,
      !mount.zone.mayWrite
    else { return }
    throw ControlError(
      .permissionFailure, "\(Control.Path(mount.path)) is read-only for you.",
      remedy: "Give another destination with --to.", path: Control.Path(directory))
  }

  // MARK: Clearing

  func clear(_ request: Control.RescueClear) throws -> Control.RescueReply {
    let all = try allAside()
    var wanted = all
    if !request.paths.isEmpty {
      let paths = Dictionary(all.map { ($0.entry.rescued.path, $0) }) { first, _ in first }
      wanted = try request.paths.flatMap { try paths[$0].map { [$0] } ?? aside($0, in: all) }
    }
    if let before = request.before { wanted = wanted.filter { $0.entry.rescued.time < before } }
    defer { tidy(wanted) }
    for found in wanted { try RescueFolder(path: found.folder).destroy(found.path) }
    return Control.RescueReply(entries: wanted.map(\.entry))
  }

  /// Updates the lists of rescued files, once for each folder.
  private func tidy(_ asides: [Aside]) {
    var seen: Set<ObjectIdentifier> = []
    for mount in asides.compactMap(\.mount) where seen.insert(ObjectIdentifier(mount)).inserted {
      // A list that can't be updated now is updated at its next use.
      try? mount.ask { try $0.lookAtRescued() }
    }
    guard asides.contains(where: { $0.mount == nil }) else { return }
    // A note without files does no harm.
    try? HomeRescue(home: home).dropEmptyOrigins()
  }
}
