import CairnControl
import Glibc
import Testing

/// Ana and Bob with homes of their own and one container, in a fresh folder. Their daemons are real
/// processes, and end with the test.
struct TwoPeople {
  let root: Folder
  let container: Folder
  let ana: Person
  let bob: Person

  /// Plays a test with two people who have run `cairn init`. `isFaulty`: the test controls their
  /// daemons' system calls. `bucket`: the place of the container, if it isn't a directory beside
  /// their homes.
  static func play(
    isFaulty: Bool = false, bucket: String? = nil, _ body: (TwoPeople) throws -> Void
  ) throws {
    // CAIRN_TEST_ROOT: another file system than that of /tmp.
    let parent = getenv("CAIRN_TEST_ROOT").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/ceXXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let root = Folder(String(decoding: template.dropLast().map { UInt8($0) }, as: UTF8.self))
    defer {
      do {
        try Folder(parent).remove("\(root.path.dropFirst(parent.utf8.count + 1))")
      } catch {
        Issue.record("\(root.path) can't be removed: \(error)")
      }
    }
    let people = try TwoPeople(root, isFaulty, bucket)
    defer { people.end() }
    try body(people)
  }

  /// Plays a test with a folder that Ana has shared and Bob has accepted.
  static func playSharing(
    _ permission: String = "read-write", isFaulty: Bool = false,
    _ body: (TwoPeople) throws -> Void
  ) throws {
    try play(isFaulty: isFaulty) { people in
      try people.ana.folder.make("")
      try people.share(permission)
      try body(people)
    }
  }

  private init(_ root: Folder, _ isFaulty: Bool, _ bucket: String?) throws {
    self.root = root
    container = Folder(root.path + "/c")
    ana = try Person("ana", in: root, folder: "A", isFaulty: isFaulty)
    bob = try Person("bob", in: root, folder: "B", isFaulty: isFaulty)
    for (person, name) in [(ana, "Ana Äpfel"), (bob, "Bob")] {
      var place = [bucket ?? container.path]
      if bucket != nil { place += ["--credentials", try person.bucketKey()] }
      try person.cairn(
        ["init", "--name", name, "--handle", person.handle, "--container"] + place)
    }
  }

  /// Lets Ana share her folder, and Bob accept it.
  func share(_ permission: String) throws {
    try ana.cairn("share", "create", ana.folder.path)
    try inviteAndAccept(permission)
  }

  /// Lets Ana invite Bob to her folder, and Bob accept.
  func inviteAndAccept(_ permission: String) throws {
    let link = try ana.cairn(
      "share", "invite", ana.folder.path, "bob", "--permission", permission
    ).lastLine
    try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
  }

  /// Returns when each has all changes of the other.
  func settle(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for person in [ana, bob, ana, bob] { try person.wait(sourceLocation: sourceLocation) }
  }

  /// Expects that both folders show the same, and at least `count` names. If Bob may not write, his
  /// files have no write bits.
  func expectSame(
    count: Int = 1, writable: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var (anas, bobs) = (try ana.folder.tree(), try bob.folder.tree())
    if !writable { anas = anas.mapValues(\.withoutWriteBits) }
    for name in Set(anas.keys).union(bobs.keys) where anas[name] != bobs[name] {
      Issue.record(
        "\(name): ana has \(Self.short(anas[name])), bob has \(Self.short(bobs[name]))",
        sourceLocation: sourceLocation)
    }
    #expect(anas.count >= count, sourceLocation: sourceLocation)
  }

  static func short(_ node: Folder.Node?) -> String {
    String("\(node.map { "\($0.mode) \($0.modified) \($0.kind)" } ?? "nothing")".prefix(200))
  }

  /// Expects that no name in either folder is a conflict copy's.
  func expectNoConflicts(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for person in [ana, bob] {
      let copies = try person.folder.tree().keys.filter(\.isConflictCopy)
      #expect(copies.isEmpty, sourceLocation: sourceLocation)
    }
  }

  /// Expects that Cairn's own folder in both contains nothing but the mark and empty folders.
  func expectNoLeftovers(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for person in [ana, bob] {
      let files = try person.folder.files(below: ".cairn")
      #expect(files == [".cairn/zone"], sourceLocation: sourceLocation)
    }
  }

  private func end() {
    for person in [ana, bob] {
      do {
        let outcome = try person.run("stop")
        if outcome.status == 0 { continue }
        Issue.record("cairn stop: \(outcome.errors)")
        try person.killDaemon()
      } catch {
        Issue.record("\(person.handle)'s daemon can't be ended: \(error)")
      }
    }
  }
}

extension Folder.Node {
  /// The node as a person sees it who may not write.
  var withoutWriteBits: Folder.Node {
    guard case .file = kind else { return self }
    return Folder.Node(kind: kind, mode: mode & ~0o222, modified: modified)
  }
}

extension Name {
  /// A Boolean value that indicates whether the last name of the path is that of a conflict copy.
  var isConflictCopy: Bool {
    String(decoding: bytes, as: UTF8.self).contains(" (conflict, ")
  }
}
