import CairnControl
import CairnFolders

/// The operations on the part of a folder that this device has.
struct SelectOperations: Operations {
  let targets: TargetResolver

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Select.self) { [self] request, _ in try select(request) }
    routes.answer(Control.Get.self) { [self] request, _ in
      let (mount, relative, _) = try targets.mounted(request.path, for: Control.Get.self)
      return try answer(mount, .with([relative]), list: nil)
    }
  }

  private func select(_ request: Control.Select) throws -> Control.SelectReply {
    let mount = try targets.mounted(request.path, for: Control.Select.self).mount
    guard !mount.isFile else {
      throw ControlError(
        .invalidArguments, "\(request.path) is a single file: there is nothing to select in it.",
        remedy: "Run `cairn remove` to stop syncing it on this device.", path: request.path)
    }
    let paths = try (request.paths ?? []).map { try relative($0, to: mount) }
    let change = try change(request, paths)
    return try answer(mount, change, list: request.list.map { try relative($0, to: mount) })
  }

  private func change(
    _ request: Control.Select, _ paths: [[UInt8]]
  ) throws -> SelectionRequest? {
    guard let change = request.change else {
      guard paths.isEmpty else {
        throw ControlError(
          .invalidArguments, "The request names paths, and no change.",
          remedy: "Give --only, --without or --with.")
      }
      return nil
    }
    guard paths.isEmpty == (change == .all) else {
      throw ControlError(
        .invalidArguments,
        change == .all ? "--all takes no paths." : "--\(change.rawValue) needs a path.",
        remedy: "See `cairn select --help`.")
    }
    switch change {
    case .all: return .all
    case .only: return .only(paths, addsNew: request.addsNew ?? false)
    case .without: return .without(paths, addsNew: request.addsNew ?? true)
    case .with: return .with(paths)
    }
  }

  /// Returns a path relative to the mount's folder.
  private func relative(_ path: Control.Path, to mount: Mount) throws -> [UInt8] {
    guard path.bytes == mount.path || WatchRoots.isInside(path.bytes, mount.path) else {
      throw ControlError(
        .invalidArguments, "\(path) isn't inside \(Control.Path(mount.path)).",
        remedy: "Name a file or directory of that folder.", path: path)
    }
    return path.bytes == mount.path ? [] : WatchRoots.relative(path.bytes, to: mount.path)
  }

  private func answer(
    _ mount: Mount, _ change: SelectionRequest?, list: [UInt8]?
  ) throws -> Control.SelectReply {
    let described: SelectionDescription
    do {
      described = try mount.ask { engine in
        if let change { try engine.select(change) }
        return try engine.describeSelection(listing: list)
      }
    } catch let error as FolderError where error.code == .notFound {
      throw ControlError(
        .unknownItem, "\(mount.absolute(error.path)) isn't in the share.",
        remedy: "`cairn ls` lists what is.", path: mount.absolute(error.path))
    }
    return Control.SelectReply(
      mount: mount.id, path: Control.Path(mount.path),
      selection: described.marks.map { path, mark in
        Control.SelectionEntry(path: mount.absolute(path), mark: Control.SelectionMark(mark))
      },
      leftOut: described.leftOut.map { Control.LeftOut($0) },
      list: list == nil
        ? nil
        : described.choices.map { choice in
          Control.SelectionChoice(
            path: mount.absolute(choice.path), directory: choice.isDirectory, files: choice.files,
            bytes: Int64(clamping: choice.bytes), selected: choice.isSelected,
            partly: choice.isPartial)
        })
  }
}

extension Control.SelectionMark {
  init(_ mark: SyncSelection.Mark) {
    switch mark {
    case .all: self = .all
    case .none: self = .none
    case .itself: self = .itself
    }
  }
}

extension Control.LeftOut {
  init(_ leftOut: MountReport.LeftOut) {
    self.init(
      files: leftOut.files, directories: leftOut.directories,
      bytes: Int64(clamping: leftOut.bytes))
  }
}
