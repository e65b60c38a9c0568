import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnZone

extension Daemon {
  /// Reads everything back that this person can open. What can't be read at all is damage like
  /// other damage: it must not hide the rest.
  func verify(
    _ request: Control.Verify, _ stream: ResponseStream
  ) throws -> Control.VerifyReply {
    var reply = Control.VerifyReply(zones: 0, commits: 0, chunks: 0, bytes: 0, damage: [])
    let zones: [Zone]
    if let share = request.share {
      zones = [try zone(of: share)]
    } else {
      zones = try container.zonesToVerify()
      _ = try checkedRoot()
      reply.damage = try container.verifyPeople().map { describe($0, of: nil) }
    }
    for zone in zones {
      try verify(zone, &reply, stream)
      if request.folder ?? false { try verifyFolders(of: zone, &reply, stream) }
    }
    return reply
  }

  /// The root of this home's container, as it stands there now.
  func checkedRoot() throws -> ContainerFile {
    let store = configuration.location.open(isReadOnly: true)
    guard let root = try Container.root(of: store), root.id == container.id else {
      throw ControlError(
        .badContainer, "There is no container of this home at \(configuration.location).",
        remedy: "Mount or restore it; nothing is changed until then.")
    }
    return root
  }

  private func verify(
    _ zone: Zone, _ reply: inout Control.VerifyReply, _ stream: ResponseStream
  ) throws {
    do { try zone.pull() } catch let error as CloudError {
      // What the log has come to is told entry by entry.
      guard zone.trouble != nil else { throw error }
    }
    let header = zone.header
    reply.zones += 1
    reply.commits += Int(header.sequence)
    reply.bytes += try zone.read { try $0.summary().bytes }
    var objects = 0
    let name = title(of: zone)
    let damages = try zone.verify { done, total in
      objects = total
      stream.progress(
        Control.Progress(
          done: Int64(done), total: Int64(total), unit: "objects", what: "reading \(name)"))
    }
    reply.chunks += max(0, objects - Int(header.sequence))
    reply.damage += damages.map { describe($0, of: zone) }
  }

  private func verifyFolders(
    of zone: Zone, _ reply: inout Control.VerifyReply, _ stream: ResponseStream
  ) throws {
    for mount in mounts(of: zone.id) {
      let what = "reading \(Control.Path(mount.path))"
      let differing = try ask(mount) { engine in
        try engine.differingFiles { done in
          stream.progress(
            Control.Progress(done: Int64(done), total: nil, unit: "files", what: what))
        }
      }
      reply.damage += differing.map { path in
        let path = absolute(mount, path)
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
      case .withoutEffect: "Nothing has to be done: everybody skips it, and nothing is held up."
      case .index:
        "Run `cairn stop`, delete the folder index of this home, start again: it is made anew."
      case .held:
        "Nothing is lost, and nothing can be written there meanwhile: `cairn repair` takes it "
          + "away, if it may be taken away."
      case .entry, .object:
        "Run `cairn repair`, here or on another device that has the folder"
          + (zone.flatMap { owner(of: $0) }.map { ": \($0)'s has it" } ?? "")
          + "; or put the object back from a copy of the container."
      }
    return Control.Damage(
      zone: zone?.id.description, object: damage.key, code: .assetNotAvailable,
      message: Failures.sentence("\(damage.key) \(damage.reason)"), sequence: damage.sequence,
      paths: zone.map { paths(of: damage.records, in: $0) } ?? [],
      remedy: damage.remedy.map { Failures.sentence($0) } ?? usual)
  }

  /// Whose folder it is, if it is somebody else's.
  private func owner(of zone: Zone) -> String? {
    guard let owner = zone.header.owner, owner != container.account.user else { return nil }
    return person(owner).handle
  }

  /// Where records stand: in the folders of this device, or else in the zone.
  func paths(of records: [RecordID], in zone: Zone) -> [Control.Path] {
    records.prefix(1_000).compactMap { id in
      do {
        for mount in mounts(of: zone.id) {
          if let path = try FolderReader(index: index, zone: zone, scope: mount.scope).path(of: id)
          {
            return absolute(mount, path)
          }
        }
        return try zone.read { try Self.path(of: id, in: $0) }
      } catch {
        // A path is told to help; the damage is told without it as well.
        return nil
      }
    }
  }

  private static func path(of id: RecordID, in view: ZoneView) throws -> Control.Path? {
    var names: [[UInt8]] = []
    var next = id
    while let place = try view.record(next)?.place, names.count < 10_000 {
      names.append(place.name.bytes)
      next = place.parent
    }
    guard !names.isEmpty else { return nil }
    return Control.Path(Array(names.reversed().joined(separator: [UInt8(ascii: "/")])))
  }
}
