import CairnControl
import Testing

/// The lines of `cairn history` after random changes: each version can be shown and restored,
/// byte for byte.
extension EndToEnd {
  @Suite struct HistoryLinesTests {
    @Test(arguments: [UInt64(1)])
    func `each line of a history is shown and restored exactly`(seed: UInt64) throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try ana.cairn("add", ana.folder.path)
        var play = try HistoryPlay(ana, seed: seed)
        for _ in 0..<50 { try play.step() }
        let lines = try play.lines()
        #expect(lines.count > 60)
        for line in lines { try play.expectShown(line) }
        for line in play.some(12, of: lines) { try play.expectRestored(line) }
      }
    }
  }
}

/// A folder that changes at random, and the model of its past: its contents after each entry of
/// the log.
private struct HistoryPlay {
  let person: Person
  private let client: ControlClient
  private var state: UInt64
  private var written = 0
  private var past: [(entry: UInt64, files: [Name: [UInt8]])] = []

  init(_ person: Person, seed: UInt64) throws {
    self.person = person
    client = ControlClient(home: try Home(environment: ["CAIRN_HOME": person.home.path]))
    state = seed
    try remember()
  }

  /// The next number of Sebastiano Vigna's SplitMix64.
  private mutating func draw(_ count: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((bits ^ (bits >> 31)) % UInt64(max(count, 1)))
  }

  mutating func some<Value>(_ count: Int, of all: [Value]) -> [Value] {
    (0..<count).compactMap { _ in all.isEmpty ? nil : all[draw(all.count)] }
  }

  // MARK: Changes

  /// Changes a few names, all of which go into one commit, or goes back in time.
  mutating func step() throws {
    if draw(8) == 0 {
      try goBack()
    } else {
      for _ in 0...draw(4) { try change() }
    }
    try remember()
  }

  private mutating func change() throws {
    let folder = person.folder
    let directories: [Name] = ["d", "e"]
    let tree = try folder.tree()
    let (from, to) = (try name(), try name())
    switch draw(6) {
    // Others' devices wait two seconds for each deletion, so that there are few.
    case 0 where tree[from] != nil && draw(20) == 0: try folder.remove(from)
    case 1, 2:
      guard tree[from] != nil else { return try write(from) }
      if tree[to] == nil { return try folder.move(from, to: to) }
      guard from != to else { return }
      // Both exchange their names.
      try folder.move(from, to: "x")
      try folder.move(to, to: from)
      try folder.move("x", to: to)
    case 3:
      let (old, new) = draw(2) == 0 ? (directories[0], directories[1]) : (directories[1], "d")
      if tree[old] != nil, tree[new] == nil { try folder.move(old, to: new) }
    default: try write(from)
    }
  }

  /// Returns one of a few names, whose directory exists.
  private mutating func name() throws -> Name {
    let names: [Name] = ["a", "b", "d/a", "d/b", "e/a"]
    let name = names[draw(names.count)]
    let parent: Name = name.text.hasPrefix("d") ? "d" : "e"
    if name.text.contains("/"), !person.folder.exists(parent) { try person.folder.make(parent) }
    return name
  }

  private mutating func write(_ name: Name) throws {
    written += 1
    try person.folder.write("content \(written)", to: name)
  }

  private mutating func goBack() throws {
    let entry = past[draw(past.count)].entry
    guard entry > 1 else { return }
    let path = Control.Path(person.folder.path)
    _ = try client.call(Control.Rewind(path: path, to: Control.Moment(place: entry)))
  }

  private mutating func remember() throws {
    try person.wait()
    var files: [Name: [UInt8]] = [:]
    for name in try person.folder.files() where !name.text.hasPrefix(".cairn") {
      files[name] = try person.folder.read(name)
    }
    past.append((try head(), files))
  }

  private func head() throws -> UInt64 {
    let path = Control.Path(person.folder.path)
    let reply = try client.call(
      Control.Restore(path: path, at: Control.Moment(time: .now()), dryRun: true))
    return reply.reply.to.place
  }

  // MARK: What is expected

  func lines() throws -> [Control.HistoryEntry] {
    try person.answer(
      Control.HistoryReply.self, "history", person.folder.path, "--limit", "10000"
    ).entries.filter { $0.kind == .file }
  }

  private func name(_ path: Control.Path?) -> Name? {
    path.map { Name(Array($0.bytes.dropFirst(person.folder.path.utf8.count + 1))) }
  }

  /// Returns the bytes that a line is about, if the model knows the folder after that entry.
  private func expected(_ line: Control.HistoryEntry) -> [UInt8]? {
    guard let name = name(line.path) else { return nil }
    let after = past.last { $0.entry == line.version }
    if !line.what.contains("deleted") { return after?.files[name] }
    let before = past.last { $0.entry < line.version }
    return after == nil ? nil : before?.files[name]
  }

  func expectShown(_ line: Control.HistoryEntry) throws {
    let path = try #require(line.path)
    let destination = Control.Path(person.scratch.path + "/shown")
    if person.scratch.exists("shown") { try person.scratch.remove("shown") }
    // A few digits of the shown ones name the item.
    let digits = line.several ? String(line.record.suffix(12).prefix(6)) : nil
    do {
      _ = try client.call(
        Control.Fetch(
          path: path, version: line.version, zone: line.zone, record: digits,
          destination: destination, isFile: true))
    } catch {
      return _ = Issue.record("\(line.name) \(line.what) \(path.printable): \(error)")
    }
    let shown = try person.scratch.read("shown")
    #expect(shown.count == line.size, "\(line.name) \(path.printable)")
    guard let expected = expected(line) else { return }
    #expect(
      shown == expected,
      "\(line.name) \(line.what) \(path.printable): \(String(decoding: shown, as: UTF8.self))")
  }

  mutating func expectRestored(_ line: Control.HistoryEntry) throws {
    let path = try #require(line.path)
    let reply = try person.answer(
      Control.RestoreReply.self, "restore", path.printable, "--version", line.name)
    try person.wait()
    guard let expected = expected(line) else { return }
    let restored = reply.paths.filter { $0.what != "removed" }.map(\.path) + [path]
    let found = try restored.compactMap(name).filter(person.folder.exists)
      .filter { try person.folder.node($0).kind == .file(expected) }
    #expect(!found.isEmpty, "\(line.name) \(line.what) \(path.printable)")
  }
}
