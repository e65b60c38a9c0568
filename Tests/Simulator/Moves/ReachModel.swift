/// A small model of zones, their readers, and the versions that each person can reach. It knows
/// nothing of logs, records, keys, and former zones:
///
/// * A version belongs to each zone that it was in.
/// * An owner reaches everything of their zones. This includes zones that others replaced.
/// * A participant reaches what the invitation gives, as long as the participation lasts.
struct ReachModel {
  /// A participant's access.
  struct Reader {
    var mayWrite: Bool
    /// The time of an invitation without the past; nil if it gives everything.
    var since: Int?
    /// The versions that existed then.
    var present: Set<Int> = []
  }

  struct Zone {
    let owner: Int
    /// The present files by their paths in the zone.
    var files: [String: Int] = [:]
    /// All versions that were ever in the zone, with the time of the last arrival.
    var past: [Int: Int] = [:]
    var readers: [Int: Reader] = [:]
    var isShared = false
    /// The zone that has all its contents now.
    var successor: Int?
  }

  /// A zone, or a part of it, at a path of a person.
  struct Mount {
    var zone: Int
    /// The path of the directory or file in the zone; empty for the whole zone.
    var base = ""
    /// The mount around it, if it came out of a mirrored folder.
    var outer: String?
    var isFile = false
  }

  private(set) var zones: [Zone] = []
  /// The mounts of each person by path.
  var mounts: [[String: Mount]]
  private var time = 0
  private var lastVersion = 0
  /// The file of each version, as the number of its first version.
  private var file: [Int: Int] = [:]
  /// The files that were restored: they may exist twice, and then one of them begins anew.
  private var restored: Set<Int> = []
  /// The zones that a person's records came from, by person.
  private var origins: [[Origin]]

  /// The note that a person moved records from one zone to another.
  private struct Origin: Hashable {
    var zone: Int
    var former: Int
    /// The path of the part that came out of a mirrored folder; nil for any other move.
    var part: String?
  }

  init(people: Int) {
    mounts = Array(repeating: [:], count: people)
    origins = Array(repeating: [], count: people)
  }

  // MARK: Places

  /// The mount that a path is in.
  func mount(of path: String, _ person: Int) -> (path: String, mount: Mount)? {
    mounts[person].filter { path == $0.key || path.hasPrefix($0.key + "/") }
      .max { $0.key.count < $1.key.count }.map { ($0.key, $0.value) }
  }

  /// Returns whether a path is a part that somebody mirrors by itself, or is around one.
  func holdsPart(_ path: String, _ person: Int) -> Bool {
    guard let place = place(path, person) else { return false }
    return mounts.contains { mounts in
      mounts.values.contains {
        $0.zone == place.zone && !$0.base.isEmpty && isInside($0.base, place.path)
      }
    } || mounts[person][path] != nil || holdsMount(path, person)
  }

  /// Returns whether a person mirrors something by itself inside of a path.
  func holdsMount(_ path: String, _ person: Int) -> Bool {
    mounts[person].keys.contains { $0.hasPrefix(path + "/") }
  }

  /// The mounts of other people, and their paths, that mirror exactly this directory.
  func mountsAt(_ path: String, _ person: Int) -> [(person: Int, path: String)] {
    guard let place = place(path, person), !place.path.isEmpty else { return [] }
    return mounts.enumerated().filter { $0.offset != person }.flatMap { other, mounts in
      mounts.filter { $0.value.zone == place.zone && $0.value.base == place.path }.keys.sorted()
        .map { (other, $0) }
    }
  }

  /// Ends the mount of a directory that somebody deleted from its zone.
  mutating func endPart(_ path: String, _ person: Int) {
    if mounts[person][path]?.outer != nil {
      bringBack(path, person)
    } else {
      mounts[person][path] = nil
    }
  }

  /// The zone of a path, and the path in the zone.
  private func place(_ path: String, _ person: Int) -> (zone: Int, path: String)? {
    guard let (root, mount) = mount(of: path, person) else { return nil }
    return (mount.zone, Self.joined(mount.base, String(path.dropFirst(root.count + 1))))
  }

  private static func joined(_ base: String, _ path: String) -> String {
    base.isEmpty ? path : path.isEmpty ? base : base + "/" + path
  }

  func mayWrite(_ zone: Int, _ person: Int) -> Bool {
    zones[zone].owner == person || zones[zone].readers[person]?.mayWrite == true
  }

  private func isInside(_ path: String, _ base: String) -> Bool {
    base.isEmpty || path == base || path.hasPrefix(base + "/")
  }

  // MARK: Changes of files

  private mutating func put(_ version: Int, _ zone: Int, _ path: String) {
    zones[zone].files[path] = version
    zones[zone].past[version] = time
  }

  /// Notes a new version of a file.
  mutating func write(_ path: String, _ person: Int) -> Int {
    (time, lastVersion) = (time + 1, lastVersion + 1)
    guard let place = place(path, person) else { return lastVersion }
    let before = zones[place.zone].files[place.path]
    file[lastVersion] = before.flatMap { file[$0] } ?? lastVersion
    put(lastVersion, place.zone, place.path)
    return lastVersion
  }

  /// Notes that an earlier version is in a file again.
  mutating func restore(_ version: Int, _ path: String, _ person: Int) {
    time += 1
    if let place = place(path, person) { put(version, place.zone, place.path) }
    file[version].map { _ = restored.insert($0) }
  }

  mutating func remove(_ path: String, _ person: Int) {
    guard let place = place(path, person) else { return }
    zones[place.zone].files = zones[place.zone].files.filter { !isInside($0.key, place.path) }
  }

  mutating func move(_ path: String, to other: String, _ person: Int) {
    guard let from = place(path, person), let to = place(other, person) else { return }
    if from.zone != to.zone { note(person, to.zone, from.zone) }
    move(from, to)
  }

  private mutating func note(_ person: Int, _ zone: Int, _ former: Int, part: String? = nil) {
    origins[person].append(Origin(zone: zone, former: former, part: part))
  }

  private mutating func move(
    _ from: (zone: Int, path: String), _ to: (zone: Int, path: String),
    without others: [String] = []
  ) {
    time += 1
    for (path, version) in zones[from.zone].files where isInside(path, from.path) {
      if others.contains(where: { isInside(path, $0) }) { continue }
      zones[from.zone].files[path] = nil
      let rest = from.path.isEmpty ? path : String(path.dropFirst(from.path.count + 1))
      put(version, to.zone, Self.joined(to.path, rest))
    }
  }

  /// Moves a mirrored folder, with those inside of it.
  mutating func moveMount(_ path: String, to other: String, _ person: Int) {
    func moved(_ old: String) -> String {
      old == path || old.hasPrefix(path + "/") ? other + old.dropFirst(path.count) : old
    }
    mounts[person] = mounts[person].reduce(into: [:]) { mounts, entry in
      var mount = entry.value
      mount.outer = mount.outer.map(moved)
      mounts[moved(entry.key)] = mount
    }
    origins[person] = origins[person].map {
      Origin(zone: $0.zone, former: $0.former, part: $0.part.map(moved))
    }
  }

  // MARK: Changes of zones

  mutating func makeZone(by owner: Int) -> Int {
    zones.append(Zone(owner: owner))
    return zones.count - 1
  }

  /// Mirrors a new private zone.
  mutating func add(_ path: String, _ person: Int) {
    mounts[person][path] = Mount(zone: makeZone(by: person))
  }

  /// Moves everything at a path to a zone. `name` is the place there; empty for the whole zone.
  mutating func put(_ path: String, into zone: Int, as name: String, isFile: Bool, _ person: Int) {
    guard let from = place(path, person), let (root, _) = mount(of: path, person) else { return }
    move(from, (zone, name))
    note(person, zone, from.zone, part: root == path ? nil : path)
    if root == path { zones[from.zone].successor = zone }
    mounts[person][path] = Mount(
      zone: zone, base: name, outer: root == path ? nil : root, isFile: isFile)
  }

  /// Moves a part back: to the folder around it, or to a private zone of its own.
  mutating func bringBack(_ path: String, _ person: Int) {
    guard let mount = mounts[person].removeValue(forKey: path) else { return }
    if mount.outer == nil { add(path, person) }
    guard let place = place(path, person) else { return }
    origins[person].removeAll { $0.part == path }
    if mount.outer != nil { note(person, place.zone, mount.zone) }
    let stays = mounts[person].values.filter {
      $0.zone == mount.zone && $0.base != mount.base && isInside($0.base, mount.base)
    }.map(\.base)
    move((mount.zone, mount.base), place, without: stays)
  }

  mutating func share(_ zone: Int) { zones[zone].isShared = true }

  mutating func invite(_ person: Int, to zone: Int, mayWrite: Bool, fromNow: Bool, at path: String)
  {
    time += 1
    zones[zone].readers[person] = Reader(
      mayWrite: mayWrite, since: fromNow ? time : nil, present: Set(zones[zone].files.values))
    mounts[person][path] = Mount(zone: zone)
  }

  /// Ends a participation, with all folders that the person has in the zone.
  mutating func end(_ person: Int, in zone: Int) {
    zones[zone].readers[person] = nil
    mounts[person] = mounts[person].filter { $0.value.zone != zone }
    origins[person].removeAll { $0.zone == zone }
    for number in zones.indices where zones[number].owner == person {
      if zones[number].successor == zone { zones[number].successor = nil }
    }
  }

  /// Ends a share.
  /// - Returns: The files beside all parts of a share whose last part returned: they are put beside
  ///   one of the parts.
  mutating func stop(_ zone: Int) -> [Int] {
    zones[zone].isShared = false
    for person in zones[zone].readers.keys { end(person, in: zone) }
    let owner = zones[zone].owner
    for (path, mount) in mounts[owner].sorted(by: {
      ($1.value.base, $1.key) < ($0.value.base, $0.key)
    })
    where mount.zone == zone && mount.outer != nil {
      bringBack(path, owner)
      guard !mounts[owner].values.contains(where: { $0.zone == zone }) else { continue }
      zones[zone].successor = place(path, owner)?.zone
    }
    return zones[zone].successor == nil ? [] : zones[zone].files.values.sorted()
  }

  /// Notes where a file beside the parts of an ended share is now.
  mutating func adopt(_ version: Int, at path: String, _ person: Int, from zone: Int) {
    zones[zone].files = zones[zone].files.filter { $0.value != version }
    restore(version, path, person)
  }

  // MARK: The answers

  func mayRead(_ zone: Int, _ person: Int) -> Bool {
    zones[zone].owner == person || zones[zone].readers[person] != nil
  }

  /// The zones that a person's lists show. A zone that moved as a whole is part of the other one.
  func shown(_ person: Int) -> Set<Int> {
    Set(
      zones.indices.filter { number in
        mayRead(number, person) && !(zones[number].successor.map { mayRead($0, person) } ?? false)
      })
  }

  /// The versions that a person can reach.
  func reach(_ person: Int) -> Set<Int> {
    zones.reduce(into: []) { $0.formUnion(reach(person, in: $1)) }
  }

  private func reach(_ person: Int, in zone: Zone) -> Set<Int> {
    if zone.owner == person { return Set(zone.past.keys) }
    guard let reader = zone.readers[person] else { return [] }
    guard let since = reader.since else { return Set(zone.past.keys) }
    return reader.present.union(zone.past.filter { $0.value >= since }.keys)
  }

  /// The versions in the history of a present file; nil if the model doesn't know.
  func history(of path: String, _ person: Int) -> Set<Int>? {
    guard let place = place(path, person), let version = zones[place.zone].files[place.path],
      let own = file[version], !restored.contains(own)
    else { return nil }
    var (seen, next): (Set<Int>, [Int]) = ([place.zone], [place.zone])
    while let zone = next.popLast() {
      for origin in origins[person] where origin.zone == zone && seen.insert(origin.former).inserted
      {
        next.append(origin.former)
      }
    }
    let all = seen.reduce(into: Set<Int>()) { $0.formUnion(reach(person, in: zones[$1])) }
    return all.filter { file[$0] == own }
  }

  /// The files that a person's disk must have, by path.
  func files(_ person: Int) -> [String: Int] {
    var files: [String: Int] = [:]
    for (root, mount) in mounts[person] {
      let apart = mounts[person].values.filter {
        $0.zone == mount.zone && $0.base != mount.base && isInside($0.base, mount.base)
      }.map(\.base)
      for (path, version) in zones[mount.zone].files where isInside(path, mount.base) {
        if apart.contains(where: { isInside(path, $0) }) { continue }
        let rest = mount.base.isEmpty ? path : String(path.dropFirst(mount.base.count + 1))
        files[rest.isEmpty ? root : root + "/" + rest] = version
      }
    }
    return files
  }
}
