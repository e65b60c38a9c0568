import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Glibc

extension Daemon {
  func createShare(
    _ request: Control.ShareCreate, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    if let title = request.title, title.allSatisfy({ $0 == " " }) {
      throw ControlError(
        .invalidArguments, "A share needs a title.",
        remedy: "Say one with --title, or leave --title out.")
    }
    guard let first = request.paths.first, Set(request.paths).count == request.paths.count else {
      throw ControlError(
        .invalidArguments, "Nothing, or the same twice, can't be shared.",
        remedy: "Name each folder or file once.")
    }
    if let zone = try knownShare(of: request.paths) {
      return try save(zone, title: request.title, of: first)
    }
    let known = mount(at: first.bytes)
    if request.paths.count == 1, let known, !known.relative.isEmpty {
      return try shareNested(first, known.mount, title: request.title, stream)
    }
    if let known, !known.mount.part.isWhole { try checkIsAll(request.paths, of: known.mount) }
    if known == nil, request.paths.count > 1 || isFile(first) {
      return try createShareOfParts(request)
    }
    let zone: Zone
    if let known, request.paths.count == 1 || !known.mount.part.isWhole {
      zone = known.mount.zone
    } else {
      for path in request.paths { try checkAddable(path) }
      zone = try mirror(first).zone
    }
    try zone.pull()
    return try save(zone, title: request.title, of: first)
  }

  /// Shares a zone, or gives its share the title that was asked for.
  func save(
    _ zone: Zone, title: String?, of path: Control.Path
  ) throws -> Control.ShareReply {
    let before = zone.header.share
    let title = title ?? before?.title ?? Self.lastName(of: path)
    _ = try container.share(zone, title: title)
    if before == nil {
      events.add(
        .shareSaved, mount: mount(of: zone.id), path: path.bytes, text: "shared as “\(title)”")
    }
    return Control.ShareReply(share: try describe(zone), created: before == nil)
  }

  /// The zone that these paths, and no others, are shared in already.
  private func knownShare(of paths: [Control.Path]) throws -> Zone? {
    let known = paths.compactMap { path in
      mount(at: path.bytes).flatMap { $0.relative.isEmpty ? $0.mount : nil }
    }
    guard let zone = known.first?.zone, zone.header.share != nil else { return nil }
    let all = mounts(of: zone.id)
    let isSame =
      known.count == paths.count && Set(known.map(\.part)) == Set(all.map(\.part))
    guard isSame || (paths.count == 1 && known[0].part.isWhole) else {
      throw Self.alreadyShared(paths[0], known[0])
    }
    return zone
  }

  /// Folders that were in one share, which was stopped, are still in one zone: only together can
  /// they be shared anew.
  private func checkIsAll(_ paths: [Control.Path], of mount: Mount) throws {
    let all = mounts(of: mount.zone.id).map(\.path)
    guard Set(paths.map(\.bytes)) != Set(all) else { return }
    let list = all.map { Control.Path($0).description }.joined(separator: ", ")
    throw ControlError(
      .serverRejectedRequest, "These were one share before: \(list).",
      remedy: "Share all of them, or run `cairn remove` for one and share it then.",
      path: paths[0])
  }

  static func alreadyShared(_ path: Control.Path, _ mount: Mount) -> ControlError {
    let (place, other) = (Whereabouts(path.bytes), Whereabouts(mount.path))
    let how = relation(place, other) ?? "beside"
    let what =
      place.isSame(as: other)
      ? "in a share already" : "\(how) the share \(Control.Path(mount.path))"
    return ControlError(
      .alreadyShared, "\(path) is \(what).",
      remedy: "Invite people to that share, or stop it first.", path: path)
  }

  /// Refuses what is in a share already, or around one.
  func checkUnshared(_ path: Control.Path) throws {
    let views = MountViews.now()
    let place = Whereabouts(path.bytes, views)
    for mount in allMounts where mount.zone.header.share != nil {
      if Self.relation(place, Whereabouts(mount.path, views)) != nil {
        throw Self.alreadyShared(path, mount)
      }
    }
  }

  /// Whether a regular file stands at the path.
  func isFile(_ path: Control.Path) -> Bool {
    var status = stat()
    return path.bytes.withPath { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
