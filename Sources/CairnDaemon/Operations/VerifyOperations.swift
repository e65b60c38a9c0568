import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Synchronization

/// The operation that checks everything by reading it.
struct VerifyOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let shares: Shares
  let persons: Persons
  let records: RecordPaths

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Verify.self) { try verify($0, $1) }
  }

  /// Reads everything that this person can open. An unreadable object is reported like other
  /// damage, and does not hide the rest.
  func verify(
    _ request: Control.Verify, _ stream: ResponseStream
  ) throws -> Control.VerifyReply {
    var reply = Control.VerifyReply(zones: 0, commits: 0, chunks: 0, bytes: 0, damage: [])
    var zones: [Zone]
    if let share = request.share {
      zones = [try zone(of: share)]
    } else {
      zones = try one.container.upkeep.zonesToVerify().filter {
        try $0.scope != .public || isBegun($0)
      }
      _ = try one.checkedRoot()
      let people = try one.container.upkeep.verifyPeople()
      reply.damage = people.filter { $0.kind != .rubbish }.map { describe($0, of: nil) }
      reply.damage += try hidden() + blocked()
      reply.notes = try people.filter { $0.kind == .rubbish }.map(Self.note) + inboxNotes()
      reply.notes += mounts.all.compactMap { mount in
        Unwatched.sentence(mount.snapshot.withLock { $0 }, at: mount.path)
      }
    }
    for zone in zones {
      try verify(zone, &reply, stream)
      if request.folder ?? false { try verifyFolders(of: zone, &reply, stream) }
    }
    return reply
  }

  /// Returns the zone of a folder, or with that id. It may be the account, or a public zone.
  private func zone(of reference: Control.ShareReference) throws -> Zone {
    do {
      return try shares.zone(of: reference, for: Control.Verify.self)
    } catch let error as ControlError {
      guard case .id(let text) = reference, error.code == .unknownItem else {
        throw error
      }
      let found = try one.container.upkeep.zonesToVerify().filter { $0.id.begins(with: text) }
      guard found.count == 1, let zone = found.first else { throw error }
      return zone
    }
  }

  /// Returns whether a public zone has anything to read.
  private func isBegun(_ zone: Zone) throws -> Bool {
    do { try zone.pull() } catch let error as CloudError {
      guard zone.trouble != nil else { throw error }
    }
    return zone.header.genesis != nil || zone.trouble != nil
  }

  private func verify(
    _ zone: Zone, _ reply: inout Control.VerifyReply, _ stream: ResponseStream
  ) throws {
    do { try zone.pull() } catch let error as CloudError {
      guard !error.isWorthRetrying || zone.trouble != nil else { throw error }
      // Damage of the log is reported for each entry; any other error stops only this zone.
      if zone.trouble == nil { reply.damage.append(stopped(zone, error)) }
    }
    let header = zone.header
    reply.zones += 1
    reply.commits += Int(header.sequence)
    reply.bytes += try zone.read { try $0.summary().bytes }
    var objects = 0
    let name = one.title(of: zone)
    let damages = try zone.verify { done, total in
      objects = total
      stream.progress(
        Control.Progress(
          done: Int64(done), total: Int64(total), unit: "objects", what: "reading \(name)"))
    }
    reply.chunks += max(0, objects - Int(header.sequence))
    reply.damage += damages.map { describe($0, of: zone) }
  }

  /// Returns the reason that a zone cannot be read on.
  private func stopped(_ zone: Zone, _ error: CloudError) -> Control.Damage {
    let failure = Failures.control(error)
    return Control.Damage(
      zone: zone.id.description, object: one.title(of: zone), code: failure.code,
      message: "\(Control.Path(one.title(of: zone))) can't be read on: \(failure.message)",
      sequence: zone.header.sequence + 1, paths: mounts.of(zone.id).map { Control.Path($0.path) },
      remedy: failure.remedy)
  }

  /// Returns the people that the account knows and the container doesn't show; a person whose chain
  /// was read here is reported by that.
  private func hidden() throws -> [Control.Damage] {
    let view = try one.container.acquaintances.seePeople()
    return view.hidden.filter {
      view.known.contains($0.id) && one.container.people.troubles[$0.id] == nil
    }.map { person in
      let problem = PeopleWatch.hidden(person)
      return Control.Damage(
        object: "users/\(person.id)/log", code: problem.code, message: problem.message,
        remedy: problem.remedy)
    }
  }

  /// Returns the note for an object that belongs to nobody who is known here.
  private static func note(_ rubbish: Damage) -> String {
    "\(rubbish.key) begins no identity that this device knows. It does no harm. If a person that "
      + "you know should be there, the owner of the container's folder can delete it."
  }

  /// Returns the folders of this person's in which nothing can be stored.
  private func blocked() throws -> [Control.Damage] {
    try one.container.upkeep.blockedFolders().map { folder in
      Control.Damage(
        object: folder.path, code: .permissionFailure, message: folder.sentence,
        remedy: "Run `cairn repair`: it takes that away.")
    }
  }

  /// Returns the objects of the inbox that are no messages. They do no harm.
  private func inboxNotes() throws -> [String] {
    let survey = try one.container.inbox.survey()
    var notes: [String] = []
    if survey.isCut { notes.append(InboxWatch.flood.message + " " + InboxWatch.flood.remedy) }
    if survey.rubbish > 0 {
      notes.append(
        "\(survey.rubbish) of the objects in your inbox are nothing to you. They do no harm; "
          + "`cairn repair` takes them away.")
    }
    if survey.unknown > 0 {
      notes.append(
        "\(survey.unknown) of the objects in your inbox can't be read here: they are by somebody "
          + "whom the container doesn't show, by a newer Cairn, or closed to you.")
    }
    return notes
  }

  private func verifyFolders(
    of zone: Zone, _ reply: inout Control.VerifyReply, _ stream: ResponseStream
  ) throws {
    for mount in mounts.of(zone.id) {
      let what = "reading \(Control.Path(mount.path))"
      let differing = try mount.ask { engine in
        try engine.differingFiles { done in
          stream.progress(
            Control.Progress(done: Int64(done), total: nil, unit: "files", what: what))
        }
      }
      reply.damage += differing.map { path in
        let path = mount.absolute(path)
        return Control.Damage(
          zone: zone.id.description, object: path.printable, code: .assetFileModified,
          message: "\(path) isn't what the zone has, though size and time say so.", paths: [path],
          remedy: "The disk may be failing. `touch` the file to send what is there now, or delete "
            + "it elsewhere and `cairn restore` it.")
      }
    }
  }

  private func describe(_ damage: Damage, of zone: Zone?) -> Control.Damage {
    let usual =
      switch damage.kind {
      case .index:
        "Run `cairn stop`, delete the folder index of this home, start again: it is made anew."
      case .held:
        "Nothing is lost, and nothing can be written there meanwhile: `cairn repair` takes it "
          + "away, if it may be taken away."
      case .entry, .object, .rubbish:
        "Run `cairn repair`, here or on another device that has the folder"
          + (zone.flatMap { owner(of: $0) }.map { ": \($0)'s has it" } ?? "")
          + "; or put the object back from a copy of the container."
      }
    return Control.Damage(
      zone: zone?.id.description, object: damage.key, code: .assetNotAvailable,
      // The object's name stays as it is, also where it begins the sentence.
      message: damage.key + " " + damage.reason + (damage.reason.hasSuffix(".") ? "" : "."),
      sequence: damage.sequence,
      paths: zone.map { records.paths(of: damage.records, in: $0) } ?? [],
      remedy: damage.remedy.map { Failures.sentence($0) } ?? usual)
  }

  /// Returns the owner of a folder, if it is somebody else.
  private func owner(of zone: Zone) -> String? {
    guard let owner = zone.header.owner, owner != one.container.account.user else { return nil }
    return persons.told(owner).handle
  }
}
