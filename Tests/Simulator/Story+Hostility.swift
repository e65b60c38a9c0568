import CairnFolders
import CairnStore

/// The attacks of people who can write to the container: a stranger without a key, a reader who
/// blocks log positions, a removed person who removes their entries. None of them may stop or
/// deceive anybody for longer than the removal of garbage takes.
extension Story {
  func intrude(_ intrusion: Step.Intrusion) throws {
    count("stranger")
    switch intrusion {
    case .rubbish(let number, let size):
      var dice = Dice(beside: UInt64(number))
      try plant((0..<size).map { _ in UInt8(truncatingIfNeeded: dice.next()) }, number)
    case .copy(let number):
      guard let key = try object(number), let bytes = try store.get(key) else { return }
      try plant(bytes, number)
    case .withdraw:
      for key in planted { try store.delete(key) }
      planted = []
    }
    for device in devices where !device.isWorking { device.hintZone() }
  }

  private func object(_ number: Int) throws -> ObjectKey? {
    let keys = try store.list("", after: nil, limit: .max)
    return keys.isEmpty ? nil : keys[number % keys.count]
  }

  /// Puts bytes beside an object, under a name of that form that nobody computed.
  private func plant(_ bytes: [UInt8], _ number: Int) throws {
    guard let beside = try object(number) else { return }
    var dice = Dice(beside: UInt64(number) ^ 0x57A2)
    var parts = beside.description.split(separator: "/").map(String.init)
    let digits = Array("0123456789abcdef")
    let last = parts.removeLast()
    parts.append(String(last.map { $0.isHexDigit ? digits[dice.number(below: 16)] : $0 }))
    guard let key = ObjectKey(parts.joined(separator: "/")),
      try store.put(key, bytes) == .stored
    else { return }
    trace.note("    a stranger puts \(key) (\(bytes.count) bytes)")
    planted.append(key)
    guard script.sabotage == .credulousReader, let reader = devices.last else { return }
    let name = Array("scrap \(number)".utf8)
    reader.disk.make(.file, name, in: reader.disk.folder, mode: 0o644).bytes = bytes
    reader.needsFullScan = true
  }

  func takePlace(_ person: Int, _ size: Int) {
    var dice = Dice(beside: UInt64(position) ^ UInt64(size))
    // No message begins like this: a possible entry of a newer Cairn is not removed automatically.
    devices[person].store.takenFirst = (0..<size).map { byte in
      byte == 0 ? 0xFF : UInt8(truncatingIfNeeded: dice.next())
    }
  }

  /// Only removed people do this. Others notice a member's changes of their own entries, and
  /// nothing more happens.
  func takeBack(_ person: Int, _ entry: Int, _ revenge: Step.Revenge) throws {
    let own = try entries[person, default: []].filter { try store.size(of: $0) != nil }
    guard devices[person].isOut, !own.isEmpty else { return }
    count("entry taken back")
    let key = own[entry % own.count]
    trace.note("    \(person) \(revenge) \(key)")
    guard let bytes = try store.get(key) else { return }
    try store.delete(key)
    guard revenge == .alters, !bytes.isEmpty else { return }
    var altered = bytes
    altered[entry % bytes.count] ^= 1
    _ = try store.put(key, altered)
  }

  /// Notes the person who put an object of the zone's log.
  func noteEntry(_ key: ObjectKey, of person: Int) {
    guard script.hasHostility, key.description.contains("/zones/\(scene.zone)/log/") else { return }
    entries[person, default: []].append(key)
  }

  /// Checks that all files in the folders come from participants, complete or, if read during a
  /// write, in part: people write text, attackers do not.
  func checkNothingBelieved() throws {
    guard script.hasHostility else { return }
    for (path, entry) in tree(devices[0]).entries
    where entry.kind == .file && versions.version(entry.bytes) == nil
      && !entry.bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 10 })
    {
      throw Violation(
        rule: "nothing is believed", message: "\(text(path)) has bytes that nobody wrote")
    }
  }
}

extension Script {
  /// A Boolean value that indicates whether a writer to the container is hostile.
  var hasHostility: Bool {
    steps.contains {
      switch $0 {
      case .intrude, .takePlace, .takeBack, .forge, .goMad: true
      default: false
      }
    }
  }

  /// A Boolean value that indicates whether garbage holds a log position.
  var hasTakenPlaces: Bool {
    steps.contains { if case .takePlace = $0 { true } else { false } }
  }
}
