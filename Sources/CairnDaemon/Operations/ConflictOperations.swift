import CairnControl
import CairnFolders
import CairnIdentity
import CairnPlan
import CairnZone

/// The operations about conflict copies.
struct ConflictOperations: Operations {
  let one: OpenContainer
  let targets: TargetResolver

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ConflictList.self) { request, _ in try conflicts(request) }
    routes.answer(Control.ConflictKeep.self) { request, _ in try keep(request) }
    routes.answer(Control.ConflictMerge.self) { request, _ in try merge(request) }
    routes.answer(Control.ConflictSave.self) { request, _ in try save(request) }
  }

  func conflicts(_ request: Control.ConflictList) throws -> Control.ConflictsReply {
    let wanted = try targets.mounts(at: request.path, for: Control.ConflictList.self)
    var found: [Control.Conflict] = []
    for mount in wanted {
      found += try mount.ask { try $0.conflicts() }.map { describe($0, mount) }
    }
    if let path = request.path?.bytes {
      found = found.filter { WatchRoots.isInside($0.copy.path.bytes, path) }
    }
    return Control.ConflictsReply(conflicts: found)
  }

  func keep(_ request: Control.ConflictKeep) throws -> Control.ConflictKeepReply {
    let (mount, relative, _) = try targets.mounted(request.path, for: Control.ConflictKeep.self)
    let conflict = try conflict(at: relative, in: mount, request.path)
    let choice: ConflictChoice
    switch (request.choice, isMine(conflict)) {
    case (.both, _): choice = .both
    case (.mine, true), (.theirs, false): choice = .copy
    case (.mine, false), (.theirs, true): choice = .original
    }
    let done = try mount.ask { try $0.settleConflict(relative, keeping: choice) }
    return Control.ConflictKeepReply(
      path: mount.absolute(done.path), aside: done.aside.map { mount.told($0) })
  }

  func merge(_ request: Control.ConflictMerge) throws -> Control.ConflictMergeReply {
    let (mount, relative, _) = try targets.mounted(request.path, for: Control.ConflictMerge.self)
    let conflict = try conflict(at: relative, in: mount, request.path)
    let merged = try mount.ask { try $0.mergeConflict(conflict) }
    return Control.ConflictMergeReply(
      conflict: describe(conflict, mount), text: String(decoding: merged.text, as: UTF8.self),
      parts: merged.parts, versions: Self.digest(of: merged.text))
  }

  func save(_ request: Control.ConflictSave) throws -> Control.ConflictKeepReply {
    let (mount, relative, _) = try targets.mounted(request.path, for: Control.ConflictSave.self)
    let conflict = try conflict(at: relative, in: mount, request.path)
    let text = Array(request.text.utf8)
    let name = mount.absolute(conflict.of)
    guard !TextMerge.hasMarkers(text) else {
      throw ControlError(
        .invalidArguments, "The edited text still has markers, so nothing was changed.",
        remedy: "Remove all lines that begin with <<<<<<<, ======= or >>>>>>>.", path: name)
    }
    guard TextMerge.isText(text) else {
      throw ControlError(
        .invalidArguments, "The edited text is too long, so nothing was changed.",
        remedy: "A merged text has at most 1 MiB and \(TextMerge.mostLines) lines.", path: name)
    }
    let done = try mount.ask {
      try $0.saveMerge(text, of: conflict) { Self.digest(of: $0) == request.versions }
    }
    guard let done else {
      throw ControlError(
        .assetFileModified,
        "\(name.printable) or its copy changed while you edited, so nothing was changed.",
        remedy: "Merge them again.", path: name)
    }
    return Control.ConflictKeepReply(
      path: mount.absolute(done.path), aside: done.aside.map { mount.told($0) })
  }

  private static func digest(of text: [UInt8]) -> String {
    hexadecimal(Crypto.digest("cairn merge", text).bytes)
  }

  private func conflict(
    at relative: [UInt8], in mount: Mount, _ path: Control.Path
  ) throws -> Conflict {
    let found = try mount.ask { try $0.conflicts().first { $0.copy.path == relative } }
    guard let found else {
      throw ControlError(
        .unknownItem, "\(path) is no conflict copy.",
        remedy: "`cairn conflicts list` shows which there are.", path: path)
    }
    return found
  }

  private func isMine(_ conflict: Conflict) -> Bool { conflict.who == one.me.handle }

  private func describe(_ conflict: Conflict, _ mount: Mount) -> Control.Conflict {
    func version(_ version: Conflict.Version) -> Control.ConflictVersion {
      Control.ConflictVersion(
        path: mount.absolute(version.path), size: Int64(clamping: version.size),
        modified: Control.Time(nanoseconds: version.modified), isFile: version.isFile)
    }
    return Control.Conflict(
      copy: version(conflict.copy), original: conflict.original.map(version),
      of: mount.absolute(conflict.of), who: conflict.who, host: conflict.host,
      when: conflict.when, isMine: isMine(conflict))
  }
}
