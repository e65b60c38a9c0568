import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The operations that make a share of folders and files, or add to one.
struct ShareCreation: Operations {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let nested: NestedShares
  let parts: ShareParts
  let metadata: MetadataOperations

  private var mounts: Mounts { mirrors.mounts }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareCreate.self, about: { $0.paths.first.map { .path($0) } }) {
      request, stream in
      try making {
        var reply = try warned(create(request, stream), of: request.paths)
        if reply.created { reply.suggestsRecovery = try shares.suggestsRecovery() }
        if request.fullMetadata == true { try carryAll(request.paths) }
        return reply
      }
    }
    routes.answer(Control.ShareAdd.self) { request, stream in
      try making { try parts.add(request, stream) }
    }
  }

  /// Runs one command at a time. Interrupted commands are completed before.
  private func making<Result>(_ body: () throws -> Result) throws -> Result {
    try mirrors.making {
      mirrors.clean { try IntendedMounts(mirrors: mirrors).finish() }
      return try body()
    }
  }

  private func create(
    _ request: Control.ShareCreate, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    if let title = request.title, title.allSatisfy({ $0 == " " }) {
      throw ControlError(
        .invalidArguments, "A share needs a title.",
        remedy: "Say one with --title, or leave --title out.")
    }
    // This comes before anything with that name is created.
    if let title = request.title, title.utf8.count > Share.maximumTitleSize {
      throw ControlError(
        .invalidArguments, "A title has at most \(Share.maximumTitleSize) bytes.",
        remedy: "Give a shorter one with --title.")
    }
    guard let first = request.paths.first, Set(request.paths).count == request.paths.count else {
      throw ControlError(
        .invalidArguments, "Nothing, or the same twice, can't be shared.",
        remedy: "Name each folder or file once.")
    }
    // A mirrored folder may be away.
    for path in request.paths where mounts.find(path.bytes)?.relative.isEmpty != true {
      try parts.checkExistence(path)
    }
    if let zone = try knownShare(of: request.paths) {
      return try shares.save(zone, title: request.title, of: first)
    }
    for path in request.paths {
      // What can't be shared at all is refused first.
      if mounts.find(path.bytes) == nil {
        try parts.checkAddable(path)
      } else {
        try places.checkUnshared(path)
      }
    }
    try SensitiveFolder.check(request.paths, isMeant: request.sensitive ?? false)
    let known = mounts.find(first.bytes)
    if request.paths.count == 1, let known, !known.relative.isEmpty {
      return try nested.share([first], title: request.title, stream)
    }
    let isPart = known.map { $0.relative.isEmpty && !$0.mount.part.isWhole } ?? false
    if let known, isPart { try checkIsAll(request.paths, of: known.mount) }
    if !isPart, request.paths.count > 1 || (known == nil && first.isFile) {
      return try parts.create(request, stream)
    }
    guard let known else {
      try parts.checkAddable(first)
      let zone = try mirrors.mirror(first, title: request.title ?? first.title).zone
      var reply = try shares.save(zone, title: request.title, of: first)
      reply.created = true
      return reply
    }
    try known.mount.zone.catchUp()
    return try shares.save(known.mount.zone, title: request.title, of: first)
  }

  /// Has the share of these paths carry all attributes of files.
  private func carryAll(_ paths: [Control.Path]) throws {
    for path in paths {
      guard let mount = mounts.find(path.bytes)?.mount else { continue }
      try metadata.set(true, mount)
    }
  }

  /// Returns the zone in which exactly these paths are shared already.
  private func knownShare(of paths: [Control.Path]) throws -> Zone? {
    let known = paths.compactMap { path in
      mounts.find(path.bytes).flatMap { $0.relative.isEmpty ? $0.mount : nil }
    }
    guard let zone = known.first?.zone, zone.header.share != nil else { return nil }
    let all = mounts.of(zone.id)
    let isSame =
      known.count == paths.count && Set(known.map(\.part)) == Set(all.map(\.part))
    guard isSame || (paths.count == 1 && known[0].part.isWhole) else {
      throw Places.alreadyShared(paths[0], known[0])
    }
    return zone
  }

  /// Refuses some folders of a stopped share: they are still in one zone, and can only be shared
  /// again together.
  private func checkIsAll(_ paths: [Control.Path], of mount: Mount) throws {
    let all = mounts.of(mount.zone.id).map(\.path)
    guard Set(paths.map(\.bytes)) != Set(all) else { return }
    let list = all.map { Control.Path($0).description }.joined(separator: ", ")
    throw ControlError(
      .serverRejectedRequest, "These were one share before: \(list).",
      remedy: "Share all of them, or run `cairn remove` for one and share it then.",
      path: paths[0])
  }

  /// The answer, with warnings for a person who shares these paths.
  func warned(
    _ reply: Control.ShareReply, of paths: [Control.Path]
  ) throws -> Control.ShareReply {
    var reply = reply
    for path in paths where !path.isFile {
      reply.warnings += try OutwardLinks.find(in: path.bytes).map { link in
        let notice = OutwardLinks.notice(link)
        return Control.Problem(
          path: Control.Path(path.bytes + [UInt8(ascii: "/")] + link), code: .invalidArguments,
          message: Failures.sentence(notice.message), remedy: Failures.sentence(notice.remedy))
      }
    }
    return reply
  }
}
