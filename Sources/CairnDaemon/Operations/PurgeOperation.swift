import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The operation that ends a zone for everybody, or this person's part in somebody else's. The
/// files in this person's folders go to the rescue folder.
struct PurgeOperation: Operations {
  let mirrors: Mirrors
  let departures: Departures
  let shares: Shares
  let persons: Persons

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Purge.self) { [self] request, _ in try purge(request) }
  }

  func purge(_ request: Control.Purge) throws -> Control.PurgeReply {
    let zone: Zone
    do {
      zone = try shares.zone(of: request.share, for: Control.Purge.self)
      _ = try zone.isToBeRead()
    } catch {
      if let reply = finish(request) { return reply }
      throw error
    }
    let isMine = zone.header.owner == one.container.account.user
    let known = mounts.of(zone.id)
    var reply = try describe(zone, known, isMine: isMine)
    let staying = known.filter(\.isFile).map { Control.Path($0.path) }
    try check(request, reply, staying, isMine: isMine)
    let folder = rescueFolder(zone, isMine: isMine)
    mounts.ended.begin(zone.id, Control.Purge.name, at: reply.paths.first, reply)
    // What was rescued before isn't a part of the answer.
    let before = try Self.files(in: folder)
    if isMine {
      try end(zone, known, reply)
    } else {
      try leave(zone, known, reply)
    }
    if try !Self.files(in: folder).isSubset(of: before) { reply.rescued = Control.Path(folder) }
    mounts.ended.answer(zone.id)
    return reply
  }

  /// Answers a command again whose first answer was lost with the daemon, after its work.
  private func finish(_ request: Control.Purge) -> Control.PurgeReply? {
    guard request.confirmed ?? false,
      let (zone, answer, isTold) = mounts.ended.unanswered(
        Control.Purge.name, request.share, Control.PurgeReply.self)
    else { return nil }
    var reply = answer
    let folder = HomeRescue(home: one.home).path(title: reply.title, zone: zone)
    // An unreadable folder has its own problem in status.
    if let files = try? Self.files(in: folder), !files.isEmpty {
      reply.rescued = Control.Path(folder)
    }
    if !isTold { tell(zone, .shareStopped, "you deleted “\(reply.title)”") }
    mounts.ended.answer(zone)
    return reply
  }

  private func end(_ zone: Zone, _ known: [Mount], _ reply: Control.PurgeReply) throws {
    try one.container.ownership.purge(zone)
    let nestings = try one.container.nestings.all(of: zone.id)
    for mount in known {
      try departures.end(mount, because: .purged, keepingFiles: true, in: mirrors)
    }
    try one.container.nestings.unlink(nestings)
    guard known.isEmpty else { return }
    try one.container.participation.forgetEverything(of: zone)
    tell(zone.id, .shareStopped, "you deleted “\(reply.title)”")
  }

  private func leave(_ zone: Zone, _ known: [Mount], _ reply: Control.PurgeReply) throws {
    guard let mount = known.first else {
      try one.container.participation.leave(zone)
      try one.container.nestings.unlink(one.container.nestings.all(of: zone.id))
      try one.container.participation.forgetEverything(of: zone)
      return tell(zone.id, .shareLeft, "you left “\(reply.title)”")
    }
    try departures.end(mount, because: .left, keepingFiles: true, in: mirrors)
  }

  private func tell(_ zone: ZoneID, _ kind: Control.EventKind, _ text: String) {
    mounts.ended.add(zone, mirrors.events.add(kind, mount: nil, path: nil, text: text))
  }

  /// The rescue folder of the zone. A share that is deleted has no title any more.
  private func rescueFolder(_ zone: Zone, isMine: Bool) -> [UInt8] {
    let title = isMine ? zone.header.genesis?.name ?? "" : one.title(of: zone)
    return HomeRescue(home: one.home).path(title: title, zone: zone.id)
  }

  private static func files(in folder: [UInt8]) throws -> Set<[UInt8]> {
    try Set(RescueFolder.files(in: folder, limit: 1_000_000).map(\.path))
  }

  // MARK: The question

  private func describe(
    _ zone: Zone, _ known: [Mount], isMine: Bool
  ) throws -> Control.PurgeReply {
    let people = isMine ? zone.header.share?.participants.keys.sorted() ?? [] : []
    return Control.PurgeReply(
      id: zone.id.description, title: one.title(of: zone),
      paths: known.map { Control.Path($0.path) },
      amount: Control.Amount(try zone.read { try $0.summary() }),
      people: people.map { persons.told($0) })
  }

  /// Refuses a step that the person hasn't confirmed, and names its effect.
  private func check(
    _ request: Control.Purge, _ reply: Control.PurgeReply, _ staying: [Control.Path],
    isMine: Bool
  ) throws(ControlError) {
    guard request.confirmed ?? false else {
      throw ControlError(
        .invalidArguments,
        "Nothing was deleted yet. \(Self.sentences(about: reply, staying, isMine: isMine))",
        remedy: "Repeat with --yes if that is meant.", path: reply.paths.first,
        confirm: .confirmed)
    }
    try SensitiveFolder.check(reply.paths, isMeant: request.sensitive ?? false)
  }

  private static func sentences(
    about reply: Control.PurgeReply, _ staying: [Control.Path], isMine: Bool
  ) -> String {
    let title = Control.Path(reply.title)
    let amount =
      count(reply.amount.files, "file", "files") + ", "
      + count(reply.amount.directories, "folder", "folders") + ", "
      + size(reply.amount.bytes)
    let here = place(of: reply.paths.filter { !staying.contains($0) }, staying)
    guard isMine else {
      return "Your part in “\(title)” (\(amount)) would end; nothing changes for the others. "
        + here
    }
    let people = reply.people.map { Control.Path($0.handle ?? $0.user).description }
    let losers =
      people.isEmpty
      ? "It has no other participants."
      : "\(count(people.count, "person loses", "people lose")) it: "
        + people.prefix(10).joined(separator: ", ") + (people.count > 10 ? ", …." : ".")
    return "“\(title)” (\(amount)) would be deleted from the container, for everybody and with all "
      + "earlier versions. \(losers) \(here)"
  }

  /// Its location on this device, and what happens to it there.
  private static func place(of folders: [Control.Path], _ staying: [Control.Path]) -> String {
    func list(_ paths: [Control.Path]) -> String {
      paths.map(\.description).joined(separator: ", ")
    }
    var sentences: [String] = []
    if !folders.isEmpty {
      sentences.append("The files in \(list(folders)) on this device move to the recovered files.")
    }
    if !staying.isEmpty { sentences.append("On this device, \(list(staying)) stays.") }
    return sentences.isEmpty
      ? "It has no folder on this device." : sentences.joined(separator: " ")
  }

  private static func size(_ bytes: Int64) -> String {
    var (number, unit) = (Double(bytes), "bytes")
    for next in ["kB", "MB", "GB", "TB"] where number >= 1_000 {
      (number, unit) = (number / 1_000, next)
    }
    guard unit != "bytes" else { return count(Int(clamping: bytes), "byte", "bytes") }
    return "\((number * 10).rounded() / 10) \(unit)"
  }

  private static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
