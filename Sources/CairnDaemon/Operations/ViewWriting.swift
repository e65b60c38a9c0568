import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnThreads
import CairnZone
import Glibc

/// The operations by which views change zones: each is one commit, also for a zone that this device
/// doesn't mirror. A file that somebody else changed meanwhile is never overwritten.
struct ViewWriting: Operations {
  let zones: ViewZones
  let persons: Persons

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ViewPut.self) { request, _ in try put(request) }
    routes.answer(Control.ViewChange.self) { request, _ in try change(request) }
  }

  private func writable(_ text: String) throws -> Zone {
    let zone = try zones.zone(text)
    guard try zone.read({ $0.mayWrite }) else {
      throw ControlError(
        .permissionFailure, "You can only view this share.",
        remedy: "Ask its owner for the permission to edit.")
    }
    return zone
  }

  /// Lets the folders of this device receive a commit.
  private func tell(_ zone: Zone) {
    for mount in zones.mounts.of(zone.id) { mount.mailbox.hint([.zone]) }
  }

  private func reply(_ id: RecordID, in zone: Zone) throws -> Control.ViewEntry {
    let entry = try zone.read { try $0.record(id).flatMap { ViewZones.entry(of: $0, in: zone) } }
    guard let entry else { throw ViewZones.gone }
    return entry
  }

  // MARK: Bytes

  private func put(_ request: Control.ViewPut) throws -> Control.ViewPutReply {
    let zone = try writable(request.zone)
    let directory = try ViewZones.record(request.directory)
    // A file whose name is refused isn't read and sent before.
    let name = try Self.name(request.name)
    let record = try request.record.map { try ViewZones.record($0) }
    let content = try ingest(request.file, into: zone)
    let new = NewFile(
      copy: .random(), place: Place(parent: directory, name: name),
      record: record, base: request.content, content: content,
      attributes: Attributes(
        isExecutable: request.executable, modified: request.modified.nanoseconds),
      label: ConflictLabel(
        persons.container.account.author, at: Control.Time.now(), Authors(persons)))
    var placed: (id: RecordID, isConflict: Bool) = (new.copy, false)
    try zone.save {
      let (change, isConflict) = try zone.read { try new.change(in: $0) }
      placed = (change.id, isConflict)
      return change.changesNothing ? [] : [change]
    }
    tell(zone)
    return Control.ViewPutReply(
      entry: try reply(placed.id, in: zone), conflict: placed.isConflict)
  }

  /// Reads a file of a view's folder into the zone's chunks. Chunks of other people are read back
  /// first, because the bytes are nowhere else afterwards.
  private func ingest(_ name: String, into zone: Zone) throws -> Content {
    let file = try zones.file(name, O_RDONLY)
    defer { close(file) }
    let content = try zone.ingest { buffer in
      while true {
        let count = Glibc.read(file, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw ViewZones.unusable(errno) }
        return count
      }
    }
    let borrowed = try zone.read { try $0.borrowed(by: content) }
    guard try borrowed.isEmpty || zone.spoiled(borrowed.keys).isEmpty else {
      throw ControlError(
        .assetNotAvailable,
        "Another person stored a part of the same bytes, and it is damaged in the container.",
        remedy: "Run `cairn repair`, and save the file again.")
    }
    return content
  }

  private static func name(_ path: Control.Path?) throws -> FileName {
    guard let name = path.flatMap({ FileName($0.bytes) }), !name.isReserved else {
      throw ControlError(
        .permissionFailure, "This can't be a name in a share.", remedy: "Choose another name.",
        path: path)
    }
    return name
  }

  // MARK: Other changes

  private func change(_ request: Control.ViewChange) throws -> Control.ViewChangeReply {
    let zone = try writable(request.zone)
    let new = RecordID.random()
    var changed: RecordID?
    try zone.save {
      let (changes, id) = try zone.read { try self.changes(request, new, in: $0) }
      changed = id
      return changes
    }
    tell(zone)
    return Control.ViewChangeReply(entry: try changed.map { try reply($0, in: zone) })
  }

  /// The changes, and the record that is there afterwards.
  private func changes(
    _ request: Control.ViewChange, _ new: RecordID, in view: ZoneView
  ) throws -> ([RecordChange], RecordID?) {
    switch request.act {
    case .makeDirectory, .makeLink:
      let place = try place(request)
      if let there = try view.child(of: place.parent, named: place.name) {
        // After a lost answer, it is the one that was to be made.
        guard there == new else { throw Self.exists(request.name) }
        return ([], there)
      }
      let isLink = request.act == .makeLink
      return (
        [
          RecordChange(
            id: new, act: .create(isLink ? .symlink : .directory), place: place,
            target: isLink ? request.target?.bytes ?? [] : nil,
            attributes: Attributes(
              isExecutable: false, modified: Control.Time.now().nanoseconds))
        ], new
      )
    case .move: return try move(request, in: view)
    case .set:
      let record = try existing(request, in: view)
      var attributes = record.attributes
      (attributes.mode, attributes.extended) = (nil, nil)
      attributes.isExecutable = request.executable ?? attributes.isExecutable
      attributes.modified = request.modified?.nanoseconds ?? attributes.modified
      return ([RecordChange(id: record.id, act: .update, attributes: attributes)], record.id)
    case .delete:
      let record = try existing(request, in: view)
      guard request.content == nil || record.content?.id.description == request.content else {
        throw ControlError(
          .serverRecordChanged, "Somebody else changed the file meanwhile.",
          remedy: "Look at it, and delete it again.")
      }
      guard try view.children(of: record.id, after: [], limit: 1).isEmpty else {
        throw ControlError(
          .referenceViolation, "The directory isn't empty.", remedy: "Delete its files first.")
      }
      return ([RecordChange(id: record.id, act: .delete)], nil)
    }
  }

  private func move(
    _ request: Control.ViewChange, in view: ZoneView
  ) throws -> ([RecordChange], RecordID?) {
    let record = try existing(request, in: view)
    let place = try place(request)
    guard record.place != place else { return ([], record.id) }
    guard let there = try view.child(of: place.parent, named: place.name),
      let replaced = try view.record(there)
    else { return ([RecordChange(id: record.id, act: .update, place: place)], record.id) }
    guard request.replaces else { throw Self.exists(request.name) }
    guard (record.type == .directory) == (replaced.type == .directory) else {
      throw ControlError(
        .constraintViolation, "A directory and a file can't replace each other.",
        remedy: "Delete the other one first.", path: request.name)
    }
    // Programs save a file by replacing it. It is the same file for its history.
    if record.type == .file, replaced.type == .file {
      var attributes = record.attributes
      (attributes.mode, attributes.extended) = (nil, nil)
      return (
        [
          RecordChange(
            id: there, act: .update, content: record.content, attributes: attributes),
          RecordChange(id: record.id, act: .delete),
        ], there
      )
    }
    guard try view.children(of: there, after: [], limit: 1).isEmpty else {
      throw ControlError(
        .referenceViolation, "The directory isn't empty.", remedy: "Delete its files first.",
        path: request.name)
    }
    return (
      [
        RecordChange(id: there, act: .delete),
        RecordChange(id: record.id, act: .update, place: place),
      ], record.id
    )
  }

  private func place(_ request: Control.ViewChange) throws -> Place {
    Place(
      parent: try ViewZones.record(request.directory ?? ""), name: try Self.name(request.name))
  }

  private func existing(_ request: Control.ViewChange, in view: ZoneView) throws -> Record {
    guard let record = try view.record(ViewZones.record(request.record ?? "")),
      record.place != nil
    else { throw ViewZones.gone }
    return record
  }

  private static func exists(_ name: Control.Path?) -> ControlError {
    ControlError(
      .alreadyExists, "There is something of this name already.", remedy: "Choose another name.",
      path: name)
  }
}

/// The new bytes of a file, and the version that they were made of. It decides where they go.
private struct NewFile {
  /// The id of a conflict copy.
  let copy: RecordID
  let place: Place
  let record: RecordID?
  /// The content of the version that was changed.
  let base: String?
  let content: Content
  let attributes: Attributes
  let label: ConflictLabel

  /// The change, and whether it makes a conflict copy.
  func change(in view: ZoneView) throws -> (change: RecordChange, isConflict: Bool) {
    if let now = try record.flatMap({ try view.record($0) }), now.type == .file,
      let place = now.place
    {
      if now.content == content, isEqual(now.attributes) {
        return (RecordChange(id: now.id, act: .update), false)
      }
      if now.content == content || now.content?.id.description == base {
        return (
          RecordChange(id: now.id, act: .update, content: content, attributes: attributes), false
        )
      }
      return (try creation(beside: place, in: view), true)
    }
    guard try view.record(place.parent)?.type == .directory else {
      throw ControlError(
        .unknownItem, "The directory isn't in the share any more.",
        remedy: "Save the file elsewhere.")
    }
    guard let there = try view.child(of: place.parent, named: place.name) else {
      // A deleted file comes back as the same one.
      return (creation(record ?? copy, at: place), false)
    }
    // After a lost answer, and if somebody else made the same file.
    if try view.record(there)?.content == content {
      return (RecordChange(id: there, act: .update), false)
    }
    return (try creation(beside: place, in: view), true)
  }

  private func isEqual(_ other: Attributes) -> Bool {
    other.isExecutable == attributes.isExecutable && other.modified == attributes.modified
  }

  private func creation(_ id: RecordID, at place: Place) -> RecordChange {
    RecordChange(
      id: id, act: .create(.file), place: place, content: content, attributes: attributes)
  }

  private func creation(beside place: Place, in view: ZoneView) throws -> RecordChange {
    var attempt = 1
    while true {
      let name = conflictName(of: place.name, label: label, attempt: attempt)
      guard try view.child(of: place.parent, named: name) != nil else {
        return creation(copy, at: Place(parent: place.parent, name: name))
      }
      attempt += 1
    }
  }
}

extension RecordChange {
  /// A Boolean value that indicates whether the record stays as it is.
  fileprivate var changesNothing: Bool { self == RecordChange(id: id, act: .update) }
}
