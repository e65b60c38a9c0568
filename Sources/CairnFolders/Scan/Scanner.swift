import CairnIdentity
import CairnPlan
import CairnZone
import Glibc

/// Scans the disk and updates the mount's local tree. It must not know zones: it only marks changed
/// nodes.
final class Scanner {
  private let root: Descriptor
  let index: FolderIndex
  let mount: Int64
  /// The root's metadata when it was attached.
  let rootStat: FileStat
  let only: OnlyFile?
  /// The directories that are never mirrored.
  let offLimits: OffLimits
  /// A Boolean value that indicates whether names that differ only in the case of letters are one
  /// name on this disk.
  private let foldsNames: Bool
  /// Returns whether a directory is the folder of another mount, by its mark.
  let isMirror: (ZonePart, FileStat) throws -> Bool
  /// The places of other mounts, whose entries aren't this mount's.
  var leftOut: Set<Place> = []
  /// The folders of other mounts that were seen.
  var strangers: [ZonePart: (place: Place, path: [FileNameBytes])] = [:]
  /// The single files that have mounts of their own.
  var nestedFiles = NestedFiles()
  /// The rules for the one mirrored file, if there is only one.
  var single = SingleFile()
  /// The attributes that nodes have beside the executable bit and the time.
  private let carried: () -> CarriedAttributes
  /// The steps in progress when the last run was interrupted.
  var journal = Journal()
  /// The engine's clock.
  let now: () -> Int64
  /// The largest length of the path of a directory.
  let longestPath: Int
  private var troubled: Set<[UInt8]> = []
  /// A Boolean value that indicates whether this scan lists every directory in the index.
  private var isWhole = false
  /// The directories that turned up in this scan.
  private var newlyFound: Set<RecordID> = []
  /// The directories that this scan has seen since its last report of them.
  private var seen: [FolderHint] = []
  /// A Boolean value that indicates whether this scan missed an entry, which may appear again.
  private var sawMissing = false
  let ignores: IgnoreTree
  /// The ignored names, as far as this scan has seen them.
  var ignored = IgnoredSightings()
  /// Hints whose directories weren't known when they arrived, or no longer existed.
  var unresolved: Set<Unresolved> = []

  /// The rules for the file of a single-file mount.
  struct SingleFile {
    /// A Boolean value that indicates whether it counts as deleted if it isn't in its directory.
    var takesDeletion = false
    /// Returns whether another file at its name is that file, rewritten; nil if nobody else knows.
    var isRewritten: ((FileStat) -> Bool)?
    /// The file that the mount around this one has to judge, and the time since then.
    var unjudged: (file: FileStat, since: Int64)?
  }

  /// The findings of a scan beside changes.
  struct Report {
    /// The number of names.
    var looked = 0
    /// Paths that couldn't be read, or aren't mirrored.
    var problems: [PathProblem] = []
    /// Directories that couldn't be read.
    var unreadable: Set<[UInt8]> = []
    /// Those of them with a reason that may end by itself.
    var unread: Set<[UInt8]> = []
    /// Paths with problems that were checked again.
    var revisited: Set<[UInt8]> = []
    /// A Boolean value that indicates whether directories have moved.
    var movedDirectories = false
    /// A Boolean value that indicates whether folders of other mounts were seen at new places.
    var strangers = false
    /// A Boolean value that indicates whether the ignored names may have changed.
    var ignoredChanged = false
    /// A Boolean value that indicates whether somebody created something.
    var madeNew = false
    /// A Boolean value that indicates whether the mount around this one must judge its file first.
    var isUnjudged = false
  }

  init(
    root: Descriptor, rootStat: FileStat, index: FolderIndex, mount: Int64, only: OnlyFile?,
    offLimits: OffLimits, foldsNames: Bool = false, longestPath: Int = .max,
    carried: @escaping () -> CarriedAttributes = { [] },
    isMirror: @escaping (ZonePart, FileStat) throws -> Bool, now: @escaping () -> Int64
  ) {
    self.now = now
    self.carried = carried
    self.longestPath = longestPath
    self.root = root
    self.rootStat = rootStat
    self.index = index
    self.mount = mount
    self.only = only
    self.offLimits = offLimits
    self.foldsNames = foldsNames
    self.isMirror = isMirror
    ignores = IgnoreTree(root: root)
  }

  /// Scans everything in `looks`, and all new directories that are found. `onWave` gets the number
  /// of names so far, and the directories seen since the last call. `troubled` are the paths whose
  /// problems may be over. If a missing entry was changed after `undoneSince`, a power cut removed
  /// it.
  func scan(
    _ looks: [Look], troubled: Set<[UInt8]>, undoneSince: Int64? = nil,
    onWave: (Int, [FolderHint]) -> Void = { _, _ in }
  ) throws -> Report {
    self.troubled = troubled
    sawMissing = false
    isWhole = looks.contains(.list(.root, path: []))
    newlyFound = []
    seen = []
    var report = Report()
    var matcher = Matcher(
      only: only, journal: journal, undoneSince: undoneSince, carried: carried())
    // Directories with rules may have moved, or their rules may have changed.
    ignores.forgetAll()
    try findAboveOthers()
    var queue = looks
    if queue.contains(where: { $0.name != nil }) { queue.sort { $0.directory < $1.directory } }
    var lost: [Look] = []
    while !queue.isEmpty {
      var sightings: [Sighting] = []
      while sightings.count < 2_000, seen.count < 2_000, let look = queue.popLast() {
        // The entries of one directory are scanned together.
        var together = [look]
        while together.count < 500, let next = queue.last, next.isBeside(look) {
          together.append(queue.removeLast())
        }
        try gather(together, into: &sightings, escalate: &queue, lost: &lost, &report)
      }
      report.looked += sightings.count
      try index.write(mount) { tree in
        try matcher.take(sightings, into: tree) { try self.probe($0, tree) }
        // Afterwards: an entry that moved into a directory is hidden with it.
        try self.hide(in: tree)
        if try self.ignored.write(to: tree) { report.ignoredChanged = true }
      }
      let unlisted = matcher.takeUnlisted()
      newlyFound.formUnion(unlisted.map(\.directory))
      queue += unlisted + matcher.takeUntold()
      if queue.isEmpty {
        let moved = matcher.takeMovedDirectories()
        if !moved.isEmpty { report.movedDirectories = true }
        queue = try looksAgain(&lost, moved)
      }
      onWave(report.looked, seen)
      seen.removeAll(keepingCapacity: true)
      if queue.isEmpty { queue = try finish(&matcher) }
    }
    if sawMissing { report.ignoredChanged = true }
    report.madeNew = matcher.madeNew
    return report
  }

  /// Ends the scan.
  /// - Returns: The remaining scans: the other names of missing files.
  private func finish(_ matcher: inout Matcher) throws -> [Look] {
    unresolved = []
    guard !matcher.missing.isEmpty else { return [] }
    try index.write(mount) { tree in
      try tellNeighbours(matcher.missing, tree)
      try matcher.finish(in: tree, hidden: hidden(of: matcher.missing, in: root, tree))
    }
    return matcher.takeUntold()
  }

  /// Tells the other mounts about missing entries, which may have been moved there.
  private func tellNeighbours(_ missing: Set<RecordID>, _ tree: FolderTree) throws {
    guard !missing.isEmpty,
      !index.neighbours.others(than: mount, device: rootStat.device).isEmpty
    else { return }
    let now = now()
    var gone: [Neighbours.Gone] = []
    // The contents of a directory left with it.
    var next = Array(missing.prefix(Neighbours.limit))
    while let id = next.popLast(), gone.count < Neighbours.limit {
      guard let row = try tree.node(id), let path = try tree.path(of: id) else { continue }
      gone.append(Neighbours.Gone(mount: mount, row: row, path: path, time: now))
      next += try tree.childIDs(of: id).filter { !missing.contains($0) }
    }
    index.neighbours.left(gone, now: now)
  }

  /// Scans entries of one directory: one or more names, or all of them.
  private func gather(
    _ looks: [Look], into sightings: inout [Sighting], escalate: inout [Look],
    lost: inout [Look], _ report: inout Report
  ) throws {
    guard let first = looks.first else { return }
    let (id, path) = (first.directory, first.path)
    do {
      let directory = try root.openDirectory(path)
      let stat = try FileStat.of(directory)
      if case .list = first {
        let known = try index.read(mount) { tree in
          try check(id, stat, path, in: tree)
          ignored.begin(id, before: try tree.ignored.names(in: id))
          return try tree.shapes(in: id)
        }
        // The list of the directory above sees it, too, if there is one.
        if !isWhole || id == .root { seen.append(FolderHint(joined(path), directory: stat.inode)) }
        let names = try DirectoryListing.names(of: directory)
        noteRevisit(path, &report)
        try list(directory, id, path, names, known, into: &sightings, &report)
        ignored.finish()
        // The list of the directory above has seen it.
        if isWhole, !newlyFound.contains(id) { return }
      } else {
        let names = looks.compactMap(\.name)
        let listed = foldsNames ? Set(try DirectoryListing.names(of: directory)) : nil
        let known = try index.read(mount) { tree in
          try check(id, stat, path, in: tree)
          ignored.begin(id, before: try tree.ignored.names(names, in: id))
          return try names.map { try tree.nodes(at: Place(parent: id, name: $0)) }
        }
        for (name, rows) in zip(names, known) {
          // Two nodes with one name are an error, which the matcher repairs.
          try see(
            directory, id, path, name, isKnown: !rows.isEmpty, listed: listed,
            as: rows.count == 1 ? rows.first?.local?.shape : nil, into: &sightings, &report)
        }
        ignored.finish()
      }
      try seeDirectory(id, path, into: &sightings, &report)
    } catch let error as FolderError {
      if error.code == .notFound { lost += looks }
      try unreadable(error, path, &escalate, &report)
    }
  }

  /// Checks whether an opened directory is the intended one.
  private func check(
    _ id: RecordID, _ stat: FileStat, _ path: [FileNameBytes], in tree: FolderTree
  ) throws {
    guard id != .root else { return }
    guard stat.isBeside(rootStat), let row = try tree.node(id), row.isSameInode(as: stat) else {
      throw FolderError(.notFound, joined(path), "another directory stands there now")
    }
  }

  /// Notes a directory that couldn't be read: it is unknown, never empty. If it no longer exists,
  /// the directory above it is scanned.
  private func unreadable(
    _ error: FolderError, _ path: [FileNameBytes], _ escalate: inout [Look],
    _ report: inout Report
  ) throws {
    if error.code == .notFound, !path.isEmpty {
      escalate += try looks(at: [FolderHint(joined(path))])
      return
    }
    // A change of its permissions causes a hint.
    report.unreadable.insert(joined(path))
    let mayPass = error.code != .denied
    if mayPass { report.unread.insert(joined(path)) }
    let remedy = mayPass ? "it is tried again by itself" : "make it readable"
    report.problems.append(
      PathProblem(
        path: joined(path), code: .permissionFailure, message: error.reason,
        remedy: "\(remedy); until then nothing in it is taken for deleted"))
  }

  private func list(
    _ directory: Descriptor, _ id: RecordID, _ path: [FileNameBytes], _ names: [FileNameBytes],
    _ known: [FileNameBytes: NodeShape?], into sightings: inout [Sighting],
    _ report: inout Report
  ) throws {
    var missing = known
    for bytes in names {
      guard let name = FileName(bytes), !(path.isEmpty && bytes == Staging.folder) else { continue }
      let shape = missing.removeValue(forKey: bytes)
      try see(
        directory, id, path, name, isKnown: shape != nil, as: shape ?? nil, into: &sightings,
        &report)
    }
    for bytes in missing.keys {
      guard let name = FileName(bytes) else { continue }
      sawMissing = true
      sightings.append(
        Sighting(place: Place(parent: id, name: name), path: path, stat: nil, target: nil))
    }
  }

  private func see(
    _ directory: Descriptor, _ parent: RecordID, _ path: [FileNameBytes], _ name: FileName,
    isKnown: Bool, isTold: Bool = true, listed: Set<FileNameBytes>? = nil,
    as shape: NodeShape? = nil, into sightings: inout [Sighting], _ report: inout Report
  ) throws {
    let place = Place(parent: parent, name: name)
    noteRevisit(path + [name.bytes], &report)
    // If the directory doesn't list the name, the name is another spelling of one of its entries.
    let stands = listed?.contains(name.bytes) != false
    var stat = stands ? try FileStat.at(directory, name.bytes) : nil
    if stat == nil || stat?.kind == .other { sawMissing = true }
    if only != nil, stat?.kind != .file {
      // A file that was deleted elsewhere, or that has still to arrive, isn't expected.
      guard isKnown, try isDeleted(stat, place, path, in: directory, &report) else { return }
    }
    if let only, let stat, try !isJudged(stat, only) {
      report.isUnjudged = true
      report.unread.insert(only.name.bytes)
      return
    }
    if isTold { noteSeen(path, name, stat) }
    if let stat, isNestedFile(stat, place, path, &report), !leftOut.contains(place) {
      if isKnown {
        sawMissing = true
        sightings.append(Sighting(place: place, path: path, stat: nil, target: nil))
      }
      return
    }
    if leftOut.contains(place) {
      if let stat, nestedFiles.isOther(stat, at: place) { report.strangers = true }
      // An entry of this mount may have been there before.
      if isKnown {
        sawMissing = true
        sightings.append(Sighting(place: place, path: path, stat: nil, target: nil))
      }
      return
    }
    if let stat, stat.kind == .directory, try isForeign(stat, directory, place, path, &report) {
      sawMissing = true
      sightings.append(Sighting(place: place, path: path, stat: nil, target: nil))
      return
    }
    if let stat, only == nil, try isLeftOut(stat, at: place, path, isKnown: isKnown, &report) {
      return
    }
    // Most names are unchanged, and nothing has to be checked, unless the node was missed elsewhere
    // in this scan.
    if let stat, let shape, !sawMissing, shape.isUnchanged(stat) {
      report.looked += 1
      return
    }
    var target: [UInt8]?
    if stat?.kind == .symlink { target = try DirectoryListing.target(in: directory, name.bytes) }
    if carried().contains(.extended), let kind = stat?.kind {
      stat?.extended = try directory.carriedAttributes(of: name.bytes, kind)
    }
    sightings.append(Sighting(place: place, path: path, stat: stat, target: target))
  }

  private func noteSeen(_ path: [FileNameBytes], _ name: FileName, _ stat: FileStat?) {
    guard let stat, stat.kind == .directory, stat.isBeside(rootStat) else { return }
    seen.append(FolderHint(joined(path + [name.bytes]), directory: stat.inode))
  }

  private func noteRevisit(_ path: @autoclosure () -> [FileNameBytes], _ report: inout Report) {
    guard !troubled.isEmpty else { return }
    let full = joined(path())
    if troubled.contains(full) { report.revisited.insert(full) }
  }

  /// Notes the time of a directory. It changes with the directory's contents, without an event.
  private func seeDirectory(
    _ id: RecordID, _ path: [FileNameBytes], into sightings: inout [Sighting],
    _ report: inout Report
  ) throws {
    guard id != .root, let last = path.last, let name = FileName(last) else { return }
    let above = Array(path.dropLast())
    guard let parent = try index.read(mount, { try $0.node(id)?.local?.node.place.parent })
    else { return }
    let directory = try root.openDirectory(above)
    try see(
      directory, parent, above, name, isKnown: true, isTold: false, into: &sightings, &report)
  }

  /// Returns whether the index has this very directory at that place.
  func isOwnDirectory(_ place: Place, _ stat: FileStat) throws -> Bool {
    try index.read(mount) { try $0.child(at: place)?.isSameInode(as: stat) ?? false }
  }

  private func probe(_ row: NodeRow, _ tree: FolderTree) throws -> FileStat? {
    guard let path = try tree.path(of: row.id), let name = path.last else { return nil }
    do throws(FolderError) {
      return try FileStat.at(root.openDirectory(Array(path.dropLast())), name)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
