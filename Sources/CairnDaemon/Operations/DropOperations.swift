import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnStore
import CairnZone

/// The operations of the owner of drop boxes.
struct DropOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let persons: Persons
  let inbox: InboxWatch
  /// The memory of accepted files.
  private let accepted = AcceptedDrops()

  init(one: OpenContainer, mounts: Mounts, persons: Persons, inbox: InboxWatch) {
    (self.one, self.mounts, self.persons, self.inbox) = (one, mounts, persons, inbox)
  }

  private var drops: Drops { one.container.drops }
  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.DropCreate.self) { [self] request, _ in try create(request) }
    routes.answer(Control.DropAccept.self) { [self] request, stream in
      try accept(request, stream)
    }
    routes.answer(Control.Drops.self) { [self] request, _ in try change(request) }
  }

  // MARK: Boxes

  private func create(_ request: Control.DropCreate) throws -> Control.DropsReply {
    let (mount, relative, target) = try targets.mounted(request.path, for: Control.DropCreate.self)
    try requireDirectory(mount, target, request.path)
    let part = try part(at: relative, of: mount, request.path)
    let box = try drops.create(
      into: part, title: request.title ?? Control.Path(request.path.lastName).description,
      limits: DropLimits(size: request.maxSize, files: request.maxFiles),
      expires: request.until?.nanoseconds)
    inbox.hint()
    return Control.DropsReply(
      boxes: [try told(box, more: 0)], drops: [], accepted: [], problems: [])
  }

  /// Refuses a target into which this person can't put files.
  private func requireDirectory(_ mount: Mount, _ target: Target, _ path: Control.Path) throws {
    guard target.kind != .missing, !mount.isFile, path.isFolder else { throw path.noFolder() }
    try requireRights(mount, path)
  }

  private func requireRights(_ mount: Mount, _ path: Control.Path) throws {
    guard try mount.zone.read({ $0.rights.contains(.write) }) else {
      throw ControlError(
        .permissionFailure, "You can only view \(path), so no files can be put into it.",
        remedy: "Choose a folder of yours, or ask its owner for the permission to edit.",
        path: path)
    }
  }

  /// The record of a directory in a mounted folder.
  private func part(
    at relative: [UInt8], of mount: Mount, _ path: Control.Path
  ) throws -> ZonePart {
    guard !relative.isEmpty else { return mount.part }
    let reader = FolderReader(index: one.index, zone: mount.zone, scope: mount.scope)
    let entry = try reader.entry(at: relative)
    guard entry.kind == .directory, try mount.zone.read({ try $0.record(entry.id) }) != nil else {
      throw ControlError(
        .unknownItem, "\(path) isn't in the container yet.",
        remedy: "Run `cairn wait`, and then this command again.", path: path)
    }
    return ZonePart(mount.zone.id, base: entry.id)
  }

  /// The mount and the path in it where accepted files of a box are put; nil if it isn't here.
  private func place(of box: DropBox) throws -> (mount: Mount, relative: [UInt8])? {
    for mount in mounts.of(box.part.zone) where !mount.isFile {
      if mount.part == box.part { return (mount, []) }
      let reader = FolderReader(index: one.index, zone: mount.zone, scope: mount.scope)
      guard let path = try reader.path(of: box.part.base), !path.isEmpty else { continue }
      return (mount, path)
    }
    return nil
  }

  // MARK: Listing

  private func told(_ box: DropBox, more: Int) throws -> Control.DropBox {
    let place = try place(of: box)
    return Control.DropBox(
      id: hexadecimal(box.id.bytes), title: box.title,
      link: drops.link(of: box, location: one.configuration.location.text).text,
      path: place.map { $0.mount.absolute($0.relative) }, zone: box.part.zone.description,
      maxSize: box.limits.size, maxFiles: box.limits.files,
      until: box.expires.map { Control.Time(nanoseconds: $0) }, more: more)
  }

  private func told(_ drop: WaitingDrop, _ view: PeopleView) -> Control.Drop {
    let state: Control.DropState =
      switch drop.state {
      case .complete: .complete
      case .incomplete: .incomplete
      case .tooLarge: .tooLarge
      }
    return Control.Drop(
      id: hexadecimal(drop.id.bytes), box: hexadecimal(drop.box.bytes), name: drop.name,
      size: drop.size, time: Control.Time(nanoseconds: drop.time),
      from: drop.sender.map { persons.told($0.user, view) }, state: state)
  }

  private func reply(
    _ survey: DropSurvey, box: Bytes16? = nil, accepted: [Control.AcceptedDrop] = [],
    problems: [Control.Problem] = []
  ) throws -> Control.DropsReply {
    let view = try persons.everybodyKnown()
    return Control.DropsReply(
      boxes: try survey.boxes.filter { box == nil || $0.id == box }
        .map { try told($0, more: survey.beyond[$0.id] ?? 0) },
      drops: survey.drops.filter { box == nil || $0.box == box }.map { told($0, view) },
      accepted: accepted, problems: problems)
  }

  private func change(_ request: Control.Drops) throws -> Control.DropsReply {
    try one.container.refresh()
    var survey = try drops.survey()
    let box = try request.box.map { try self.box($0, in: survey) }
    switch request.act {
    case .show: return try reply(survey, box: box?.id)
    case .discard:
      let ids = request.drops ?? []
      let chosen =
        ids.isEmpty
        ? survey.drops.filter { box == nil || $0.box == box?.id }
        : try ids.map { try drop($0, in: survey) }
      for drop in chosen { try drops.discard(drop) }
    case .end:
      guard let box else {
        throw ControlError(
          .invalidArguments, "No drop box is named.", remedy: "`cairn drop list` shows their ids.")
      }
      try drops.end(box)
    }
    survey = try drops.survey()
    inbox.hint()
    return try reply(survey)
  }

  private func box(_ text: String, in survey: DropSurvey) throws(ControlError) -> DropBox {
    try only(
      survey.boxes.filter { beginsAsTyped(hexadecimal($0.id.bytes), text) },
      none: "You have no drop box \(text).", several: "drop boxes begin with \(text).")
  }

  private func drop(_ text: String, in survey: DropSurvey) throws(ControlError) -> WaitingDrop {
    try only(
      survey.drops.filter { beginsAsTyped(hexadecimal($0.id.bytes), text) },
      none: "No file \(text) waits in a drop box of yours.",
      several: "waiting files have ids that begin with \(text).")
  }

  private func only<Item>(
    _ found: [Item], none: String, several: String
  ) throws(ControlError) -> Item {
    guard found.count == 1, let item = found.first else {
      throw ControlError(
        .unknownItem, found.isEmpty ? none : "\(found.count) \(several)",
        remedy: "`cairn drop list` shows their ids.")
    }
    return item
  }

  // MARK: Accepting

  /// A folder for accepted files: a mount, and the path in it.
  private typealias Folder = (mount: Mount, relative: [UInt8])

  private func accept(
    _ request: Control.DropAccept, _ stream: ResponseStream
  ) throws -> Control.DropsReply {
    try one.container.refresh()
    let given = try request.path.map { path -> Folder in
      let (mount, relative, target) = try targets.mounted(path, for: Control.DropAccept.self)
      try requireDirectory(mount, target, path)
      return (mount, relative)
    }
    let (survey, taken, failures) = try accepted.exclusively { memory in
      var survey = try drops.survey()
      let chosen = try chosen(request, in: survey)
      memory.keep(only: Set(survey.drops.map(\.id)))
      var (taken, failures): ([Control.AcceptedDrop], [ControlError]) = ([], [])
      for drop in chosen {
        do {
          let path = try take(drop, in: survey, into: given, &memory)
          taken.append(Control.AcceptedDrop(id: hexadecimal(drop.id.bytes), path: path))
          // The file is in the folder first: an interruption leaves it in both places.
          try drops.discard(drop)
          survey.drops.removeAll { $0.id == drop.id }
        } catch {
          failures.append(Failures.control(error))
        }
        stream.progress(
          Control.Progress(
            done: Int64(taken.count), total: Int64(chosen.count), unit: "files",
            what: "accepting"))
      }
      return (survey, taken, failures)
    }
    if taken.isEmpty, failures.count == 1, let failure = failures.first { throw failure }
    inbox.hint()
    return try reply(
      survey, accepted: taken,
      problems: failures.map {
        Control.Problem(path: $0.path, code: $0.code, message: $0.message, remedy: $0.remedy)
      })
  }

  /// The requested files, each once.
  private func chosen(
    _ request: Control.DropAccept, in survey: DropSurvey
  ) throws -> [WaitingDrop] {
    guard !request.drops.isEmpty else { return survey.drops.filter { $0.state == .complete } }
    let ids = Set(try request.drops.map { try drop($0, in: survey).id })
    return survey.drops.filter { ids.contains($0.id) }
  }

  /// Puts a file into its folder, unless it is there already.
  private func take(
    _ drop: WaitingDrop, in survey: DropSurvey, into given: Folder?,
    _ memory: inout AcceptedDrops.Memory
  ) throws -> Control.Path {
    if let path = memory.path(of: drop.id) { return path }
    let box = survey.boxes.first { $0.id == drop.box }
    guard let folder = try given ?? box.flatMap({ try place(of: $0) }) else {
      throw ControlError(
        .unknownItem, "The folder of the drop box “\(box?.title ?? "")” isn't on this device.",
        remedy: "Name another mirrored folder with --to DIR.")
    }
    try requireRights(folder.mount, folder.mount.absolute(folder.relative))
    let path = try put(drop, folder)
    memory.note(drop.id, at: path)
    return path
  }

  /// Writes a file into a mirrored folder, as a change of this person like any other.
  private func put(_ drop: WaitingDrop, _ place: Folder) throws -> Control.Path {
    let names =
      place.relative.split(separator: UInt8(ascii: "/")).map { Array($0) }
      + [Array(drop.name.utf8)]
    let wanted = place.mount.absolute(
      Array(names.joined(separator: [UInt8(ascii: "/")])))
    let rule = try NewFileRule(ignoring: names, isEmpty: drop.size == 0, in: place.mount.folder)
    if let rule { throw notMirrored(rule, wanted, place.mount) }
    let incoming = IncomingFile(
      in: place.mount.folder, id: "drop-\(hexadecimal(Bytes16.random().bytes))", path: wanted)
    do {
      if drop.size == 0 { _ = try incoming.append([UInt8](), at: 0) }
      var size: Int64 = 0
      try drops.read(drop) { size = try incoming.append($0, at: size) }
    } catch {
      try incoming.remove()
      throw error
    }
    return place.mount.absolute(try incoming.place(at: names, size: Int64(clamping: drop.size)))
  }

  /// The file would be in the folder of this device alone.
  private func notMirrored(
    _ rule: NewFileRule, _ path: Control.Path, _ mount: Mount
  ) -> ControlError {
    let pattern = Control.Path(rule.pattern).printable
    let place = rule.file.map { "in \(mount.absolute($0).printable)" }
    return ControlError(
      .invalidArguments,
      "\(path.printable) would not be mirrored: the \(place == nil ? "built-in " : "")rule "
        + "“\(pattern)” \(place.map { $0 + " " } ?? "")excludes it. The file still waits.",
      remedy: "Ask the sender to put it under another name, or "
        + (place == nil
          ? "write the line !\(pattern) into .cairnignore of the folder."
          : "change the rule, or name another folder with --to DIR."),
      path: path)
  }
}
