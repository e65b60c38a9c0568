import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Glibc

/// The operations of the public database.
struct PublicOperations: Operations {
  let mirrors: Mirrors
  let folders: MountOperations
  let places: Places
  let teller: MountPresenter
  let settling: Settling
  let persons: Persons

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }
  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.PublicMount.self) { [self] in try mountPublic($0, $1) }
    routes.answer(Control.PublicUnmount.self) { [self] request, _ in try unmountPublic(request) }
    routes.answer(Control.PublicList.self) { [self] in try listPublic($0, $1) }
    routes.answer(Control.PublicGet.self) { [self] request, _ in try getPublic(request) }
    routes.answer(Control.PublicPut.self) { [self] request, _ in try putPublic(request) }
    routes.answer(Control.PublicRemove.self) { [self] request, _ in try removePublic(request) }
    routes.answer(Control.PublicExport.self) { [self] in try exportPublic($0, $1) }
  }

  // MARK: Mirroring

  func mountPublic(
    _ request: Control.PublicMount, _ stream: ResponseStream
  ) throws -> Control.AddReply {
    if mounts.find(request.path.bytes)?.relative.isEmpty != true {
      // Before the public zone is begun for it.
      try places.checkReceivable(request.path)
    }
    let zone = try zone(of: request.author)
    let part = ZonePart(zone.id, base: try publicDirectory(request.prefix, in: zone))
    if let known = mounts.of(zone.id).first(where: { $0.part == part }),
      known.path == request.path.bytes
    {
      if request.wait { try settling.settle([known], until: nil, stream) }
      return Control.AddReply(created: false, mount: try teller.describe(known), path: request.path)
    }
    try checkDisjoint(part, in: zone, request.path)
    let place = try places.prepare(request.path, for: part)
    do { try one.container.addMount(part, path: request.path.bytes) } catch {
      places.takeBack(place)
      throw error
    }
    let mount = try mirrors.start(
      zone, one.container.mountEntry(part, path: request.path.bytes))
    events.add(
      .mountAdded, mount: mount.id, path: request.path.bytes, text: "mirrors \(one.title(of: zone))"
    )
    if request.wait { try settling.settle([mount], until: nil, stream) }
    return Control.AddReply(created: true, mount: try teller.describe(mount), path: request.path)
  }

  /// Returns a person's public zone; nil for one's own.
  private func zone(of author: String?) throws -> Zone {
    guard let author else {
      guard !one.container.isAnonymous else {
        throw ControlError(
          .invalidArguments, "This home is anonymous and publishes nothing.",
          remedy: "Say whose files to mirror with --author; `cairn public list` shows who there is."
        )
      }
      return try one.container.publicZones.founded()
    }
    let user = try look.author(author)
    if user == one.container.account.user { return try zone(of: nil) }
    let zone = try one.container.publicZones.zone(of: user)
    try look.pull(zone)
    guard zone.header.genesis != nil else {
      throw ControlError(
        .zoneNotFound, "\(author) has published nothing.",
        remedy: "`cairn public list` shows who has.")
    }
    return zone
  }

  /// The directory of a public zone that a folder is to mirror.
  private func publicDirectory(_ prefix: Control.Path?, in zone: Zone) throws -> RecordID {
    guard let prefix else { return .root }
    let names = try PublicTree.names(prefix)
    let record = try zone.read { try PublicTree.record(names, in: $0) }
    guard !names.isEmpty else { return .root }
    guard let record else { throw PublicTree.missing(prefix) }
    guard record.type == .directory else {
      throw ControlError(
        .invalidArguments, "\(prefix) is no directory of the public database.",
        remedy: "Name a directory.", path: prefix)
    }
    return record.id
  }

  /// Refuses a part that is inside another mirrored part: one file must not be in two folders.
  private func checkDisjoint(_ part: ZonePart, in zone: Zone, _ path: Control.Path) throws {
    for known in mounts.of(zone.id) {
      let overlaps = try zone.read { view in
        try Self.isInside(part.base, known.part.base, view)
          || Self.isInside(known.part.base, part.base, view)
      }
      guard overlaps else { continue }
      throw ControlError(
        .alreadyMirrored,
        "What that person publishes is mirrored at \(Control.Path(known.path)) already.",
        remedy: "Use that folder, or run `cairn public unmount` there first.", path: path)
    }
  }

  private static func isInside(
    _ id: RecordID, _ directory: RecordID, _ view: ZoneView
  ) throws -> Bool {
    let way = try Ascent(from: id) { try view.record($0)?.place }
    return id == directory || way.directories.contains(directory)
  }

  func unmountPublic(_ request: Control.PublicUnmount) throws -> Control.RemoveReply {
    let mount = try targets.mounted(request.path, for: Control.PublicUnmount.self).mount
    guard mount.zone.scope == .public else {
      throw ControlError(
        .badDatabase, "\(request.path) doesn't mirror the public database.",
        remedy: "Run `cairn remove` for a folder of yours, `cairn share leave` for a share.",
        path: request.path)
    }
    return try folders.remove(mount, request.path)
  }

  // MARK: Without a mirror

  private func listPublic(
    _ request: Control.PublicList, _ stream: ResponseStream
  ) throws -> Control.PublicListReply {
    guard let (tree, directory, names) = try look.directory(request.path) else {
      let (tree, problems) = try look.everything()
      try tree.forEachPortion(recursive: request.recursive) { portion in
        try stream.items(portion.map(\.entry))
      }
      return Control.PublicListReply(entries: [], problems: problems)
    }
    if try tree.find(names, in: directory) == nil { _ = try look.entry(request.path) }
    try tree.forEachPortion(of: names, in: directory, recursive: request.recursive) { portion in
      try stream.items(portion.map(\.entry))
    }
    return Control.PublicListReply(zone: directory.zone.id.description, entries: [])
  }

  func getPublic(_ request: Control.PublicGet) throws -> Control.PublicFileReply {
    let found = try look.entry(request.path).found
    guard let content = found.record.content else {
      throw ControlError(
        .invalidArguments, "\(request.path) is no file but a \(found.entry.kind.rawValue).",
        remedy: "Name a file; `cairn public export` writes all of it.", path: request.path)
    }
    try PlainFile.write(
      request.output, isExecutable: found.record.attributes.isExecutable,
      modified: found.record.attributes.modified
    ) { write in try found.directory.zone.readContent(content, write) }
    return Control.PublicFileReply(entry: found.entry, changed: true)
  }

  func putPublic(_ request: Control.PublicPut) throws -> Control.PublicFileReply {
    let zone = try one.container.publicZones.founded()
    try zone.pull()
    let names = try PublicTree.names(request.path)
    guard !names.isEmpty else {
      throw ControlError(
        .invalidArguments, "The file needs a name in the public database.",
        remedy: "Give one with --as PATH.", path: request.path)
    }
    // This comes before anything is stored, so that a refusal leaves no bytes behind.
    _ = try publicChanges(names, content: nil, attributes: nil, in: zone)
    let (content, file) = try PlainFile.read(request.file) { fill in try zone.ingest(fill) }
    let attributes = Attributes(isExecutable: file.isExecutable, modified: file.modified)
    let changed = try committing(to: zone) {
      try publicChanges(names, content: content, attributes: attributes, in: zone)
    }
    let tree = look.tree([zone])
    guard let mine = tree.directories.first, let found = try tree.find(names, in: mine) else {
      throw PublicTree.missing(request.path)
    }
    return Control.PublicFileReply(entry: found.entry, changed: changed)
  }

  func removePublic(_ request: Control.PublicRemove) throws -> Control.PublicFileReply {
    let found = try look.entry(request.path).found
    let (zone, record) = (found.directory.zone, found.record)
    guard record.id != .root else {
      throw ControlError(
        .invalidArguments, "All files of a person can't be removed at once.",
        remedy: "Name a file in it; `cairn public unmount` stops mirroring it.")
    }
    guard found.entry.isMine else {
      let author = found.entry.author
      throw ControlError(
        .permissionFailure,
        "\(request.path) was published by \(author.handle ?? author.user), who alone may change or "
          + "delete it.",
        remedy: "Ask them, or publish a copy of your own.", path: request.path)
    }
    _ = try committing(to: zone) {
      try zone.read { try $0.record(record.id) } == nil
        ? [] : [RecordChange(id: record.id, act: .delete)]
    }
    return Control.PublicFileReply(entry: found.entry, changed: true)
  }

  func exportPublic(
    _ request: Control.PublicExport, _ stream: ResponseStream
  ) throws -> Control.PublicExportReply {
    let (tree, problems) = try look.everything()
    try places.checkPlace(request.path)
    var reply = try PublicExport(
      tree: tree, container: one.container.id.description, folder: request.path
    )
    .run { done, total in
      stream.progress(
        Control.Progress(
          done: Int64(done), total: Int64(total), unit: "files", what: "writing files"))
    }
    reply.problems = problems
    return reply
  }

  // MARK: Parts

  private var look: PublicLook { PublicLook(container: one.container, persons: persons) }

  /// Returns the changes that make these names a file with a content; without a content, only
  /// checks the names.
  private func publicChanges(
    _ names: [FileName], content: Content?, attributes: Attributes?, in zone: Zone
  ) throws -> [RecordChange] {
    try zone.read { view in
      var changes: [RecordChange] = []
      var parent = RecordID.root
      var isNew = false
      for (depth, name) in names.dropLast().enumerated() {
        if !isNew, let id = try view.child(of: parent, named: name) {
          guard try view.record(id)?.type == .directory else {
            throw Self.inTheWay(names.prefix(depth + 1))
          }
          parent = id
          continue
        }
        isNew = true
        let id = RecordID.random()
        changes.append(
          RecordChange(
            id: id, act: .create(.directory), place: Place(parent: parent, name: name),
            attributes: Attributes(
              isExecutable: false, modified: Control.Time.now().nanoseconds)))
        parent = id
      }
      let place = Place(parent: parent, name: names[names.count - 1])
      guard !isNew, let id = try view.child(of: parent, named: place.name),
        let record = try view.record(id)
      else {
        changes.append(
          RecordChange(
            id: .random(), act: .create(.file), place: place, content: content,
            attributes: attributes))
        return changes
      }
      guard record.type == .file else { throw Self.inTheWay(names[...]) }
      if record.content == content, record.attributes == attributes { return [] }
      return [
        RecordChange(id: id, act: .update, content: content, attributes: attributes)
      ]
    }
  }

  private static func joined(_ names: ArraySlice<FileName>) -> [UInt8] {
    Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")]))
  }

  private static func inTheWay(_ names: ArraySlice<FileName>) -> ControlError {
    let path = Control.Path(joined(names))
    return ControlError(
      .constraintViolation, "\(path) in the public database is not a file.",
      remedy: "Put the file under another name with --as PATH.", path: path)
  }

  /// Commits the result of `changes`, and computes it again as long as others commit first. Returns
  /// false if there was nothing to do.
  private func committing(to zone: Zone, _ changes: () throws -> [RecordChange]) throws -> Bool {
    var isOvertaken = false
    return try whileOvertaken {
      if isOvertaken { try zone.pull() }
      isOvertaken = true
      let head = zone.header.sequence
      let wanted = try changes()
      guard !wanted.isEmpty else { return false }
      try zone.commit(wanted, expecting: head)
      for mount in mounts.of(zone.id) { mount.mailbox.hint([.zone]) }
      return true
    }
  }
}
