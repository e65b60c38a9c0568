import CairnContainer
import CairnFolders
import CairnReplica
import CairnZone

/// The rules that hold after each command.
extension MovingStory {
  func check() throws {
    for person in people.indices {
      try checkFiles(person)
      try checkZones(person)
      try checkReach(person)
      try checkHistories(person)
    }
  }

  private func fail(_ rule: String, _ message: String) -> Violation {
    Violation(rule: rule, message: message)
  }

  /// Checks that a person's disk has exactly the model's files.
  private func checkFiles(_ person: Int) throws {
    var there: [String: Int] = [:]
    for path in paths(below: "", person).files {
      guard !path.hasPrefix(text(SimulatedDisk.rescuePath)) else { continue }
      guard let bytes = inode(path, person)?.bytes, let version = Self.version(of: bytes) else {
        throw fail("files", "\(path) of \(Scene.handle(person)) is garbage")
      }
      there[path] = version
    }
    let due = model.files(person)
    for path in Set(due.keys).union(there.keys).sorted() where due[path] != there[path] {
      let (found, wanted) = (there[path].map(String.init), due[path].map(String.init))
      throw fail(
        "files",
        "\(path) of \(Scene.handle(person)) is \(found ?? "gone"), and not \(wanted ?? "gone")")
    }
  }

  /// Checks that a person's lists show the zones of the model. A zone that moved as a whole is
  /// found through its successor alone.
  private func checkZones(_ person: Int) throws {
    let found = try people[person].container.zoneIDs()
    let due = Set(model.shown(person).map { zones[$0] })
    for (number, id) in zones.enumerated() where found.contains(id) != due.contains(id) {
      let state = due.contains(id) ? "doesn't list" : "lists"
      throw fail("zones", "\(Scene.handle(person)) \(state) zone \(number)")
    }
  }

  /// Checks that a person's history has the versions that the model gives them, and no other.
  private func checkReach(_ person: Int) throws {
    let (found, due) = (try history(of: person), model.reach(person))
    if let lost = due.subtracting(found).min() {
      throw fail("nothing is lost", "\(Scene.handle(person)) can't find version \(lost)")
    }
    if let leaked = found.subtracting(due).min() {
      throw fail("secrecy", "\(Scene.handle(person)) reads version \(leaked)")
    }
  }

  /// The versions that a person's history finds and can read, in all of their zones.
  private func history(of person: Int) throws -> Set<Int> {
    let container = people[person].container
    var found: Set<Int> = []
    for id in try container.zoneIDs().sorted() {
      guard let zone = try container.zone(id), zone.header.genesis != nil, zone.mayRead else {
        continue
      }
      // A zone that this person mirrors nowhere is read when somebody asks.
      if !people[person].mounts.values.contains(where: { $0.engine.zone.id == id }) {
        try zone.pull()
      }
      let past = try container.formers.past(of: zone)
      let contents = try past.read { view in
        try recordIDs(view).flatMap { id in
          try view.versions(of: id, limit: .max).compactMap(\.record.content)
        }
      }
      for content in Set(contents) {
        let bytes = try bytes(of: content, in: past)
        if let version = Self.version(of: bytes) { found.insert(version) }
      }
    }
    return found
  }

  /// Checks that the history of each present file has the versions from before its moves.
  private func checkHistories(_ person: Int) throws {
    for mount in people[person].mounts.values {
      let past = try people[person].container.formers.past(of: mount.engine.zone)
      let root = mount.isFile ? Household.parent(of: mount.path) : mount.path
      for path in mount.isFile ? [mount.path] : paths(below: mount.path, person).files {
        guard model.mount(of: path, person)?.path == mount.path,
          let due = model.history(of: path, person),
          let id = try mount.engine.record(at: Array(path.dropFirst(root.count + 1).utf8))
        else { continue }
        let contents = try past.read { view in
          try view.versions(of: id, limit: .max).compactMap(\.record.content)
        }
        let found = Set(try contents.compactMap { Self.version(of: try bytes(of: $0, in: past)) })
        guard found != due else { continue }
        throw fail(
          "history",
          "\(path) of \(Scene.handle(person)) has \(found.sorted()), and not \(due.sorted())")
      }
    }
  }

  func recordIDs(_ view: PastView) throws -> Set<RecordID> {
    Set(try view.events(before: EventPlace(.max), deletionsOnly: false, limit: .max).map(\.record))
  }

  /// The bytes of a content; none if they can't be read.
  func bytes(of content: Content, in past: JoinedPast) throws -> [UInt8] {
    var bytes: [UInt8] = []
    do { try past.readContent(content) { bytes += Array($0) } } catch {
      trace.note("    a version can't be read: \(error)")
      return []
    }
    return bytes
  }
}
