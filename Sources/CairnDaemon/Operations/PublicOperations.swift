import CairnCloud
import CairnControl
import CairnFolders
import CairnThreads
import CairnZone
import Glibc

/// The operations of the public database.
struct PublicOperations: Operations {
  let mirrors: Mirrors
  let folders: MountOperations
  let places: Places
  let teller: MountTeller
  let settling: Settling
  let persons: Persons

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

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
      // Before the public database is founded for it.
      try places.checkReceivable(request.path)
    }
    let zone =
      try one.container.isAnonymous ? pulledPublicZone() : one.container.foundedPublicZone()
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
      .mountAdded, mount: mount, path: request.path.bytes, text: "mirrors the public database")
    if request.wait { try settling.settle([mount], until: nil, stream) }
    return Control.AddReply(created: true, mount: try teller.describe(mount), path: request.path)
  }

  /// The directory of the public zone that a folder is to mirror.
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

  /// One file must not stand in two folders: no mirrored part may lie in another one.
  private func checkDisjoint(_ part: ZonePart, in zone: Zone, _ path: Control.Path) throws {
    for known in mounts.of(zone.id) {
      let overlaps = try zone.read { view in
        try Self.isInside(part.base, known.part.base, view)
          || Self.isInside(known.part.base, part.base, view)
      }
      guard overlaps else { continue }
      throw ControlError(
        .alreadyMirrored,
        "The public database is mirrored at \(Control.Path(known.path)) already.",
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
    let mount = try mounts.required(at: request.path).mount
    guard mount.zone.scope == .public else {
      throw ControlError(
        .badDatabase, "\(request.path) doesn't mirror the public database.",
        remedy: "Run `cairn remove` for a folder of yours, `cairn share leave` for a share.",
        path: request.path)
    }
    return try folders.remove(Control.Remove(path: request.path))
  }

  // MARK: Without a mirror

  private func listPublic(
    _ request: Control.PublicList, _ stream: ResponseStream
  ) throws -> Control.PublicListReply {
    let tree = publicTree(try pulledPublicZone())
    let sequence = tree.zone.header.sequence
    try tree.forEachPortion(request.path, recursive: request.recursive) { portion in
      try stream.items(portion.map(\.entry))
    }
    return Control.PublicListReply(
      zone: tree.zone.id.description, sequence: sequence, entries: [])
  }

  func getPublic(_ request: Control.PublicGet) throws -> Control.PublicFileReply {
    let tree = publicTree(try pulledPublicZone())
    let (record, entry) = try tree.entry(request.path)
    guard let content = record.content else {
      throw ControlError(
        .invalidArguments, "\(request.path) is no file but a \(entry.kind.rawValue).",
        remedy: "Name a file; `cairn public export` writes all of it.", path: request.path)
    }
    try PlainFile.write(
      request.output, isExecutable: record.attributes.isExecutable,
      modified: record.attributes.modified
    ) { write in try tree.zone.readContent(content, write) }
    return Control.PublicFileReply(entry: entry, changed: true)
  }

  func putPublic(_ request: Control.PublicPut) throws -> Control.PublicFileReply {
    let zone = try one.container.foundedPublicZone()
    try zone.pull()
    let names = try PublicTree.names(request.path)
    guard !names.isEmpty else {
      throw ControlError(
        .invalidArguments, "The file needs a name in the public database.",
        remedy: "Give one with --as PATH.", path: request.path)
    }
    // Before anything is stored: who may not change it must not leave bytes behind either.
    _ = try publicChanges(names, content: nil, attributes: nil, in: zone)
    let (content, file) = try PlainFile.read(request.file) { fill in try zone.ingest(fill) }
    let attributes = Attributes(isExecutable: file.isExecutable, modified: file.modified)
    let changed = try committing(to: zone) {
      try publicChanges(names, content: content, attributes: attributes, in: zone)
    }
    return Control.PublicFileReply(
      entry: try publicTree(zone).entry(request.path).entry, changed: changed)
  }

  func removePublic(_ request: Control.PublicRemove) throws -> Control.PublicFileReply {
    let zone = try one.container.foundedPublicZone()
    try zone.pull()
    let (record, entry) = try publicTree(zone).entry(request.path)
    guard record.id != .root else {
      throw ControlError(
        .invalidArguments, "The public database can't be removed.",
        remedy: "Name a file in it; `cairn public unmount` stops mirroring it.")
    }
    try requireCreator(of: record, request.path)
    _ = try committing(to: zone) {
      try zone.read { try $0.record(record.id) } == nil
        ? [] : [RecordChange(id: record.id, act: .delete)]
    }
    return Control.PublicFileReply(entry: entry, changed: true)
  }

  func exportPublic(
    _ request: Control.PublicExport, _ stream: ResponseStream
  ) throws -> Control.PublicExportReply {
    let tree = publicTree(try pulledPublicZone())
    try places.checkPlace(request.path)
    return try PublicExport(
      tree: tree, container: one.container.id.description, folder: request.path
    )
    .run { done, total in
      stream.progress(
        Control.Progress(
          done: Int64(done), total: Int64(total), unit: "files", what: "writing files"))
    }
  }

  // MARK: Parts

  private func publicTree(_ zone: Zone) -> PublicTree {
    var known: [UserID: Control.Person] = [:]
    return PublicTree(zone: zone, me: one.container.account.user) { [self] user in
      if let person = known[user] { return person }
      let person = persons.told(user)
      known[user] = person
      return person
    }
  }

  /// The public zone as the container has it now, or as it was known last while that is away.
  private func pulledPublicZone() throws -> Zone {
    let zone = try one.container.publicZone()
    do { try zone.pull() } catch let error as CloudError {
      guard error.isWorthRetrying, zone.header.sequence > 0 else { throw error }
    }
    return zone
  }

  private func requireCreator(of record: Record, _ path: Control.Path) throws {
    guard record.created.user != one.container.account.user else { return }
    let author = persons.told(record.created.user)
    throw ControlError(
      .permissionFailure,
      "\(path) was made by \(author.handle ?? author.user), who alone may change or delete it.",
      remedy: "Ask them, or put a copy of yours under another name.", path: path)
  }

  /// What makes these names a file with that content; without a content only the right is checked.
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
            id: id, act: .create(.directory), place: Place(parent: parent, name: name)))
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
      try requireCreator(of: record, Control.Path(Self.joined(names[...])))
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
      .constraintViolation, "Something of another kind stands at \(path) in the public database.",
      remedy: "Put the file under another name with --as PATH.", path: path)
  }

  /// Commits what `changes` says, anew as long as others are faster. False if nothing had to be
  /// done.
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
