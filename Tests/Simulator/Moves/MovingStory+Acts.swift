import CairnContainer
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// The people's commands, drawn at random.
extension MovingStory {
  /// Performs a random command.
  /// - Returns: Whether there was anything to perform it on.
  func act() throws -> Bool {
    let person = dice.number(below: people.count)
    let what = dice.number(below: 30)
    for person in people { person.disk.forgetInterruptions() }
    // What a person does with files, also between zones, is completed after an end at any call.
    if endsDaemons, what < 14, dice.once(in: 2) {
      people[person].disk.interrupt(after: 1 + dice.number(below: 150), .crash)
    }
    switch what {
    case 0...5: return edit(person)
    case 6: return removeFile(person)
    case 7: return removeDirectory(person)
    case 8: return removePart(person)
    case 9...13: return moveEntry(person)
    case 14, 15: return try shareInside(person)
    case 16: return try addFolder(person)
    case 17, 18: return try shareTogether(person)
    case 19, 20: return try addToShare(person)
    case 21: return try stop(person)
    case 22: return try takeOut(person)
    case 23, 24: return try inviteSomebody(person)
    case 25: return try removeSomebody(person)
    case 26: return leave(person)
    case 27, 28: return try restore(person)
    default: return try collectGarbage(person)
    }
  }

  private func note(_ person: Int, _ what: String) {
    trace.note("\(acts): \(Scene.handle(person)) \(what)")
  }

  // MARK: Choices

  private func pick<Element>(_ all: [Element]) -> Element? { all.isEmpty ? nil : dice.pick(all) }

  /// The directories in which a person can create something.
  func directories(_ person: Int) -> [String] {
    let roots = model.mounts[person].filter {
      !$0.value.isFile && model.mayWrite($0.value.zone, person)
    }.keys
    return Set(roots.flatMap { [$0] + paths(below: $0, person).directories }).filter {
      model.mount(of: $0, person).map { model.mayWrite($0.mount.zone, person) } ?? false
    }.sorted()
  }

  private func files(_ person: Int) -> [String] {
    Set(directories(person).flatMap { paths(below: $0, person).files }).filter {
      model.mount(of: $0, person).map { model.mayWrite($0.mount.zone, person) } ?? false
    }.sorted()
  }

  /// The paths that are neither a part with a mount of its own, nor around one.
  private func plain(_ paths: [String], _ person: Int) -> [String] {
    paths.filter { !model.holdsPart($0, person) }
  }

  /// The mirrored folders that are private zones of their own.
  private func ownFolders(_ person: Int) -> [String] {
    model.mounts[person].filter { path, mount in
      path != "/folder" && mount.base.isEmpty && mount.outer == nil
        && model.zones[mount.zone].owner == person && !model.zones[mount.zone].isShared
    }.keys.sorted()
  }

  /// The shares that a person owns.
  private func ownShares(_ person: Int) -> [Int] {
    model.zones.indices.filter { model.zones[$0].owner == person && model.zones[$0].isShared }
  }

  // MARK: Files

  private func edit(_ person: Int) -> Bool {
    if dice.once(in: 2), let file = pick(files(person)) {
      note(person, "edits \(file)")
      write(file, person)
      return true
    }
    guard var directory = pick(directories(person)) else { return false }
    if dice.once(in: 4) {
      directory += "/" + name("d")
      makeDirectory(directory, person)
    }
    let file = directory + "/" + name("f")
    note(person, "creates \(file)")
    write(file, person)
    return true
  }

  private func removeFile(_ person: Int) -> Bool {
    guard let file = pick(plain(files(person), person)) else { return false }
    note(person, "deletes \(file)")
    model.remove(file, person)
    removeTree(file, person)
    return true
  }

  private func removeDirectory(_ person: Int) -> Bool {
    guard let directory = pick(plain(directories(person), person)) else { return false }
    note(person, "deletes \(directory) with everything in it")
    model.remove(directory, person)
    removeTree(directory, person)
    return true
  }

  /// Deletes a directory that somebody else mirrors by itself.
  private func removePart(_ person: Int) -> Bool {
    let parts = directories(person).filter { path in
      model.mounts[person][path] == nil && !model.mountsAt(path, person).isEmpty
        && !paths(below: path, person).directories.contains { model.holdsPart($0, person) }
    }
    guard let directory = pick(parts) else { return removeDirectory(person) }
    note(person, "deletes \(directory), which others mirror by itself")
    let mounts = model.mountsAt(directory, person)
    model.remove(directory, person)
    removeTree(directory, person)
    for (other, path) in mounts { model.endPart(path, other) }
    return true
  }

  private func moveEntry(_ person: Int) -> Bool {
    let (directories, files) = (directories(person), files(person))
    guard let source = pick(plain(dice.once(in: 2) ? files : directories, person)),
      let target = pick(directories.filter { $0 != source && !$0.hasPrefix(source + "/") }),
      let from = inode(Household.parent(of: source), person), let to = inode(target, person)
    else { return false }
    let path = target + "/" + name("m")
    note(person, "moves \(source) to \(path)")
    let result = people[person].disk.rename(
      Array(Household.name(of: source).utf8), in: from, to: Array(Household.name(of: path).utf8),
      in: to, .toFreeName)
    guard result == 0 else { return false }
    model.move(source, to: path, person)
    return true
  }

  // MARK: Shares

  private func addFolder(_ person: Int) throws -> Bool {
    let path = "/" + name("A")
    note(person, "adds \(path)")
    makeDirectory(path, person)
    write(path + "/" + name("f"), person)
    try people[person].ask { try people[person].add(path) }
    model.add(path, person)
    zones.append(try zone(at: path, person))
    // The version was written before the folder was mirrored.
    for file in paths(below: path, person).files { write(file, person) }
    return true
  }

  private func shareInside(_ person: Int) throws -> Bool {
    let home = "/folder"
    let inside = paths(below: home, person)
    func isInHome(_ path: String) -> Bool { model.mount(of: path, person)?.path == home }
    var paths: [String] = []
    for _ in 0..<dice.number(below: 2) + 1 {
      let all = dice.once(in: 4) ? inside.files : inside.directories
      guard let path = pick(plain(all.filter(isInHome), person)),
        !paths.contains(where: { $0 == path || apart($0, path) })
      else { continue }
      paths.append(path)
    }
    guard !paths.isEmpty else { return false }
    note(person, "shares \(paths.joined(separator: " and "))")
    let id = try people[person].ask { try people[person].shareInside(paths, of: home) }
    guard let id else { return false }
    let zone = model.makeZone(by: person)
    zones.append(id)
    model.share(zone)
    for path in paths {
      let isFile = inside.files.contains(path)
      model.put(
        path, into: zone, as: paths.count == 1 && !isFile ? "" : Household.name(of: path),
        isFile: isFile, person)
    }
    _ = try invite(zone, by: person)
    return true
  }

  private func apart(_ path: String, _ other: String) -> Bool {
    path.hasPrefix(other + "/") || other.hasPrefix(path + "/")
  }

  private func shareTogether(_ person: Int) throws -> Bool {
    let folders = ownFolders(person).prefix(2)
    guard folders.count == 2 else { return try addFolder(person) }
    note(person, "shares \(folders.joined(separator: " and "))")
    zones.append(try people[person].ask { try people[person].shareTogether(Array(folders)) })
    let zone = model.makeZone(by: person)
    for path in folders {
      model.put(path, into: zone, as: Household.name(of: path), isFile: false, person)
    }
    model.share(zone)
    _ = try invite(zone, by: person)
    return true
  }

  private func addToShare(_ person: Int) throws -> Bool {
    let shares = model.zones.indices.filter {
      model.zones[$0].isShared && model.mayWrite($0, person)
    }
    guard let zone = pick(Array(shares)) else { return false }
    let isOwn = model.zones[zone].owner == person
    guard let shared = try people[person].container.zone(zones[zone]) else { return false }
    // A directory of the zone's root has that name, perhaps as a whole zone's own.
    if isOwn, dice.once(in: 2) {
      let home = "/folder"
      let inside = plain(paths(below: home, person).directories, person)
        .filter { model.mount(of: $0, person)?.path == home }
      guard let path = pick(inside) else { return false }
      note(person, "adds \(path) to \(zone)")
      try people[person].ask { try people[person].putInside(path, of: home, into: shared) }
      model.put(path, into: zone, as: Household.name(of: path), isFile: false, person)
      return true
    }
    guard let path = pick(ownFolders(person)) else { return false }
    note(person, "adds \(path) to \(zone)")
    try people[person].ask { try people[person].put(path, into: shared) }
    model.put(path, into: zone, as: Household.name(of: path), isFile: false, person)
    return true
  }

  private func stop(_ person: Int) throws -> Bool {
    guard let zone = pick(ownShares(person)) else { return false }
    note(person, "stops \(zone)")
    guard let shared = try people[person].container.zone(zones[zone]) else { return false }
    try people[person].ask { try people[person].stopSharing(shared) }
    let strays = model.stop(zone)
    try settle()
    for version in strays {
      let due = model.files(person)
      let path = paths(below: "/folder", person).files.first {
        due[$0] == nil && inode($0, person).map { Self.version(of: $0.bytes) } == version
      }
      guard let path else {
        throw Violation(rule: "files", message: "version \(version), beside all parts, is gone")
      }
      model.adopt(version, at: path, person, from: zone)
    }
    return true
  }

  private func isOneOfSeveral(_ mount: ReachModel.Mount, _ person: Int) -> Bool {
    model.mounts[person].values.filter { $0.zone == mount.zone }.count > 1
  }

  private func takeOut(_ person: Int) throws -> Bool {
    let parts = model.mounts[person].filter {
      model.zones[$0.value.zone].owner == person && model.zones[$0.value.zone].isShared
        && !$0.value.base.isEmpty && !$0.value.isFile && isOneOfSeveral($0.value, person)
    }.keys.sorted()
    guard let path = pick(parts), let (part, _) = people[person].mount(at: path) else {
      return false
    }
    note(person, "takes \(path) out of its share")
    try people[person].ask { try people[person].takeOut(part) }
    let isApart = model.mounts[person][path]?.outer == nil
    model.bringBack(path, person)
    if isApart { zones.append(try self.zone(at: path, person)) }
    return true
  }

  // MARK: People

  private func invite(_ zone: Int, by person: Int) throws -> Bool {
    let others = people.indices.filter {
      $0 != model.zones[zone].owner && model.zones[zone].readers[$0] == nil
    }
    guard let other = pick(Array(others)),
      let shared = try people[person].container.zone(zones[zone])
    else { return false }
    let (mayWrite, fromNow) = (!dice.once(in: 4), dice.once(in: 3))
    note(person, "invites \(Scene.handle(other)) to \(zone)\(fromNow ? " from now" : "")")
    let user = people[other].account.user
    try people[person].ask {
      try shared.pull()
      _ = try people[person].container.sharing.invite(
        user, to: shared, permission: mayWrite ? .readWrite : .readOnly,
        fromNow: fromNow && sabotage != .givesAllKeys)
    }
    let path = placeForShare(of: other) + "/" + name("in")
    makeDirectory(path, other)
    try people[other].ask { try people[other].accept(zones[zone], at: path) }
    model.invite(other, to: zone, mayWrite: mayWrite, fromNow: fromNow, at: path)
    return true
  }

  private func inviteSomebody(_ person: Int) throws -> Bool {
    guard let zone = pick(ownShares(person)) else { return false }
    return try invite(zone, by: person)
  }

  private func removeSomebody(_ person: Int) throws -> Bool {
    guard let zone = pick(ownShares(person)),
      let other = pick(model.zones[zone].readers.keys.sorted()),
      let shared = try people[person].container.zone(zones[zone])
    else { return false }
    note(person, "removes \(Scene.handle(other)) from \(zone)")
    if sabotage != .keepsMembers {
      try people[person].ask {
        try shared.pull()
        try people[person].container.access.remove(people[other].account.user, from: shared)
      }
    }
    model.end(other, in: zone)
    return true
  }

  private func leave(_ person: Int) -> Bool {
    let accepted = model.mounts[person].filter {
      model.zones[$0.value.zone].owner != person && $0.value.base.isEmpty
        && !model.holdsMount($0.key, person)
    }.keys.sorted()
    guard let path = pick(accepted), let zone = model.mounts[person][path]?.zone else {
      return false
    }
    note(person, "deletes \(path), and leaves \(zone) by that")
    removeTree(path, person)
    leaver = person
    model.end(person, in: zone)
    return true
  }

  // MARK: The past

  private func restore(_ person: Int) throws -> Bool {
    let mounts = model.mounts[person].filter {
      !$0.value.isFile && model.mayWrite($0.value.zone, person)
    }.keys.sorted()
    guard let path = pick(mounts), let (part, mount) = people[person].mount(at: path) else {
      return false
    }
    let past = try people[person].container.formers.past(of: mount.engine.zone)
    let deleted = try past.read { view in
      // A record that went to a share of its own is restored there.
      let nestings = try view.nestings(after: 0)
      return try recordIDs(view).sorted().compactMap { id -> Record? in
        let versions = try view.versions(of: id, limit: .max)
        guard try view.record(id) == nil, let end = versions.first?.end?.stamp.sequence,
          !nestings.contains(end)
        else { return nil }
        return versions.map(\.record).last { $0.type == .file }
      }
    }
    guard let record = pick(deleted), let content = record.content,
      let version = Self.version(of: try bytes(of: content, in: past))
    else { return false }
    let zone = mount.engine.zone
    let others = try people[person].container.formers.idsForRestoring([record.id], in: zone)
    let id = others[record.id] ?? record.id
    let text = self.name("r")
    guard try past.read({ try $0.record(id) == nil }), let name = FileName(text) else {
      return false
    }
    note(person, "restores version \(version) as \(path)/\(text)")
    try people[person].ask {
      let change = RecordChange(
        id: id, act: .create(.file), place: .init(parent: part.base, name: name),
        content: content, attributes: record.attributes)
      _ = try past.commit([change], expecting: zone.header.sequence)
    }
    model.restore(version, path + "/" + text, person)
    return true
  }

  private func collectGarbage(_ person: Int) throws -> Bool {
    collected += 8 * 86_400
    note(person, "collects garbage")
    try people[person].ask {
      _ = try people[person].container.upkeep.collectGarbage(at: collected)
    }
    if sabotage == .forgetsDeleted { try dropPack(person) }
    return true
  }

  private func dropPack(_ person: Int) throws {
    let packs = try store.list("users/\(people[person].account.user)/packs/", after: nil, limit: 1)
    for pack in packs { try store.delete(pack) }
  }
}
