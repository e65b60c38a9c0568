import CairnCloud
import Synchronization
import Testing

@testable import CairnControl
@testable import CairnDaemon

/// Programs use the zones of a person through the daemon, with the library and without keys.
@Suite struct ProgramTests {
  /// Plays a test with a person, and with a program that they have allowed.
  func play(
    _ names: [String] = ["Books"], sharing: Bool = false,
    _ body: (ProgramDesk, Program) async throws -> Void
  ) async throws {
    let desk = try ProgramDesk()
    let program = Self.program(desk, names, sharing: sharing)
    try await allow(program, at: desk)
    do { try await body(desk, program) } catch {
      try desk.close()
      throw error
    }
    try desk.close()
  }

  /// Plays a test with two people, whose programs may share.
  func playTwo(
    _ names: [String] = ["Books"],
    _ body: (ProgramDesk, ProgramDesk, CloudContainer, CloudContainer) async throws -> Void
  ) async throws {
    try await play(names, sharing: true) { ana, program in
      let bob = try ProgramDesk("bob", beside: ana)
      let other = Self.program(bob, names, sharing: true)
      do {
        try await allow(other, at: bob)
        let (here, there) = (
          try await CloudContainer.open(program), try await CloudContainer.open(other)
        )
        try await body(ana, bob, here, there)
      } catch {
        try bob.close()
        throw error
      }
      try bob.close()
    }
  }

  static func program(
    _ desk: ProgramDesk, _ names: [String] = ["Books"], sharing: Bool = false
  ) -> Program {
    Program(
      "Shelf", zones: names, sharing: sharing, home: desk.folder,
      secrets: desk.folder + "/secrets")
  }

  func allow(_ program: Program, at desk: ProgramDesk) async throws {
    #expect(try await code { _ = try await CloudContainer.open(program) } == .notAuthenticated)
    try desk.table.allow("Shelf", zones: [])
  }

  private func code(_ body: () async throws -> Void) async throws -> CloudError.Code? {
    do { try await body() } catch let error as CloudError { return error.code }
    return nil
  }

  @Test func `a program sees its zones once it is allowed, and no others`() async throws {
    try await play { desk, program in
      let secret = try desk.makeZone(named: "Diary")
      let cloud = try await CloudContainer.open(program)
      #expect(try await cloud.privateDatabase.zones().isEmpty)
      let books = try await cloud.privateDatabase.zone(named: "Books")
      #expect(books.name == "Books" && books.canEdit)
      #expect(try await cloud.privateDatabase.zones().map(\.id) == [books.id])
      #expect(
        try await code { _ = try await cloud.privateDatabase.zone(named: "Diary") }
          == .permissionFailure)
      let id = try #require(ZoneID(secret))
      #expect(try await cloud.privateDatabase.zone(id) == nil)
      let changes = try await cloud.privateDatabase.changes()
      #expect(changes.changed == [books.id])
      // It may not even name the other zone in a request.
      let foreign = Control.ProgramRecords(
        token: try secretText(of: desk), zone: secret)
      let error = #expect(throws: ControlError.self) {
        try ControlClient(home: desk.home).call(foreign)
      }
      #expect(error?.code == .zoneNotFound)
      try desk.table.allow("Shelf", zones: [secret])
      #expect(try await cloud.privateDatabase.zone(id)?.name == "Diary")
      try desk.table.revoke("Shelf")
      #expect(try await code { _ = try await books.changes() } == .notAuthenticated)
      #expect(try await code { _ = try await CloudContainer.open(program) } == .permissionFailure)
      // The answers outlive the daemon.
      desk.stop()
      try desk.start()
      #expect(try await code { _ = try await CloudContainer.open(program) } == .permissionFailure)
      try desk.table.allow("Shelf", zones: [])
      _ = try await CloudContainer.open(program)
    }
  }

  private func secretText(of desk: ProgramDesk) throws -> String {
    let bytes = try PlainFile.bytes(of: Control.Path(desk.folder + "/secrets/Shelf"))
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `another secret under the same name, and more zones, wait`() async throws {
    try await play { desk, program in
      let other = Program(
        "Shelf", zones: ["Books"], home: desk.folder, secrets: desk.folder + "/index")
      #expect(try await code { _ = try await CloudContainer.open(other) } == .notAuthenticated)
      _ = try await CloudContainer.open(program)
      let more = Self.program(desk, ["Books", "Films"])
      #expect(try await code { _ = try await CloudContainer.open(more) } == .notAuthenticated)
      #expect(desk.table.asking == ["Shelf"])
      try desk.table.allow("Shelf", zones: [])
      _ = try await CloudContainer.open(more)
      #expect(try await code { _ = try await CloudContainer.open(other) } == .notAuthenticated)
    }
  }

  @Test func `processes of a program that begin at once ask as one`() async throws {
    let desk = try ProgramDesk()
    let program = Self.program(desk)
    // The person answers as soon as a program asks.
    let table = desk.table
    let hearing = table.listen {
      guard !table.asking.isEmpty else { return }
      do { try table.allow("Shelf", zones: []) } catch { Issue.record(error) }
    }
    try await withThrowingTaskGroup(of: CloudContainer.self) { group in
      for _ in 0..<4 { group.addTask { try await CloudContainer.open(program, waits: true) } }
      for try await cloud in group {
        _ = try await cloud.privateDatabase.zone(named: "Books").modify(saving: [CloudRecord("B")])
      }
    }
    withExtendedLifetime(hearing) {}
    let cloud = try await CloudContainer.open(program)
    let zone = try await cloud.privateDatabase.zone(named: "Books")
    #expect(try await zone.records(CloudQuery("B")).records.count == 4)
    try desk.close()
  }

  @Test func `who waits for the answer of a person can be cancelled`() async throws {
    let desk = try ProgramDesk()
    let program = Self.program(desk)
    let waiting = Task {
      try await code { _ = try await CloudContainer.open(program, waits: true) }
    }
    waiting.cancel()
    #expect(try await waiting.value == .operationCancelled)
    try desk.close()
  }

  // MARK: Records

  @Test func `records of all kinds are the same without keys`() async throws {
    try await play { _, program in
      let zone = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      var record = CloudRecord("Book")
      let other = CloudRecord("Shelf")
      let values: [String: FieldValue] = [
        "bytes": .bytes([0, 255, 10]), "text": "Ä\n\"", "integer": .integer(.min),
        "number": 0.1, "boolean": false, "date": .date(.max),
        "location": .location(latitude: 52.5, longitude: -13.4), "list": .list(["a", "b"]),
        "none": .list([]), "reference": .reference(other.id),
      ]
      for (name, value) in values { record[name] = value }
      let saved = try await zone.modify(saving: [record, other])
      #expect(saved.first?.fields == values && saved.first?.changed != nil)
      #expect(try await zone.record(record.id) == saved.first)
      #expect(try await zone.record(.random()) == nil)
      var again = try #require(saved.first)
      again["text"] = nil
      again["integer"] = 7
      _ = try await zone.modify(saving: [again], policy: .changedKeys)
      let now = try await zone.record(record.id)
      #expect(now?["text"] == nil && now?["integer"] == 7 && now?.fields.count == values.count - 1)
      let versions = try await zone.history(of: record.id)
      #expect(versions.map { $0["integer"] } == [7, .integer(.min)])
      _ = try await zone.modify(deleting: saved, policy: .allKeys)
      let changes = try await zone.changes()
      #expect(changes.changed.isEmpty)
    }
  }

  @Test func `a conflict has the three records, and a draft begins again`() async throws {
    try await play { _, program in
      let clouds = [
        try await CloudContainer.open(program), try await CloudContainer.open(program),
      ]
      let one = try await clouds[0].privateDatabase.zone(named: "Books")
      let two = try await clouds[1].privateDatabase.zone(named: "Books")
      var mine = try #require(try await one.modify(saving: [CloudRecord("Book")]).first)
      var theirs = try #require(try await two.record(mine.id))
      theirs["title"] = "theirs"
      theirs = try #require(try await two.modify(saving: [theirs]).first)
      mine["title"] = "mine"
      let refused = mine
      let error = await #expect(throws: CloudError.self) {
        try await one.modify(saving: [refused])
      }
      #expect(error?.code == .serverRecordChanged && error?.records == [mine.id])
      #expect(error?.conflicts.first?.server == theirs)
      #expect(error?.conflicts.first?.client["title"] == "mine")
      #expect(error?.conflicts.first?.ancestor?.fields == [:])
      #expect(
        try await code { _ = try await one.modify(deleting: [refused]) } == .serverRecordChanged)
      let id = mine.id
      try await withThrowingTaskGroup(of: Void.self) { group in
        for zone in [one, two, one, two] {
          group.addTask {
            for _ in 0..<5 { try await Self.count(id, in: zone) }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await one.record(id)?["count"] == 20)
    }
  }

  /// Adds one to the field "count" of a record.
  private static func count(_ id: RecordID, in zone: CloudZone) async throws(CloudError) {
    try await zone.modify { draft throws(CloudError) in
      guard var record = try draft.record(id) else { return }
      record["count"] = .integer((record["count"]?.int ?? 0) + 1)
      draft.save(record)
    }
  }

  @Test func `queries and changes come in pages`() async throws {
    try await play { _, program in
      let zone = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      let records = (0..<7 as Range<Int64>).map { number in
        var record = CloudRecord("Book")
        record["number"] = .integer(number)
        return record
      }
      _ = try await zone.modify(saving: records)
      let query = CloudQuery(
        "Book", where: .not(.or([.field("number", .less, 2), .field("number", .equal, 5)])),
        sort: [.init("number", descending: true)])
      let (page, next) = try await zone.records(query, limit: 3)
      #expect(page.map { $0["number"] } == [6, 4, 3])
      let (rest, none) = try await zone.records(query, limit: 3, after: next)
      #expect(rest.map { $0["number"] } == [2] && none == nil)
      let token = try await zone.changes().token
      _ = try await zone.modify(deleting: [records[0]], policy: .allKeys)
      let changes = try await zone.changes(since: token)
      #expect(changes.deleted.map(\.id) == [records[0].id])
      #expect(changes.deleted.map(\.type) == ["Book"] && changes.changed.isEmpty)
      let bad = ZoneToken(text: token.text + "x")
      #expect(try await code { _ = try await zone.changes(since: bad) } != nil)
    }
  }

  @Test func `files go through the daemon, also when it restarts`() async throws {
    try await play { desk, program in
      let zone = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      let bytes = (0..<1_300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      let (path, copy) = (desk.folder + "/picture", desk.folder + "/copy")
      try PlainFile.write(Control.Path(path), isExecutable: false, modified: nil) { write in
        try bytes.withUnsafeBytes { try write($0) }
      }
      // The answers to the first and the last piece are lost, too.
      desk.lost.store(1, ordering: .relaxed)
      let asset = try await zone.upload(path) { sent in
        if sent > 1_100_000 { desk.lost.store(1, ordering: .relaxed) }
      }
      #expect(asset.size == 1_300_000)
      var record = CloudRecord("Picture")
      record["file"] = .asset(asset)
      record = try #require(try await zone.modify(saving: [record]).first)
      let stored = try #require(record["file"]?.file)
      try await zone.download(stored, to: copy)
      #expect(try PlainFile.bytes(of: Control.Path(copy)) == bytes)
    }
  }

  // MARK: Shares

  @Test func `a program shares only if the person allowed that`() async throws {
    try await play { desk, program in
      let zone = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      #expect(try await zone.share() == nil)
      #expect(try await code { _ = try await zone.share(title: "Books") } == .permissionFailure)
      let cloud = try await CloudContainer.open(program)
      #expect(try await code { _ = try await cloud.invitations() } == .permissionFailure)
      #expect(try await code { _ = try await cloud.person("ana") } == .permissionFailure)
      // The name of somebody whose id is known is no secret.
      #expect(try await cloud.profile(of: cloud.me)?.handle == "ana")
      #expect(try await code { try await cloud.privateDatabase.delete(zone.id) } != nil)
      #expect(try await code { _ = try await zone.link() } == .permissionFailure)
      #expect(try await code { _ = try await cloud.accept(link: "") } == .permissionFailure)
      let mine = try await cloud.publicDatabase.zone(of: cloud.me)
      #expect(try await mine.records(CloudQuery("Book")).records.isEmpty)
      let book = CloudRecord("Book")
      #expect(try await code { _ = try await mine.modify(saving: [book]) } == .permissionFailure)
      #expect(try await code { _ = try await mine.upload(bytes: [1]) } == .permissionFailure)
    }
  }

  @Test func `programs join by links, and publish`() async throws {
    try await playTwo { ana, bob, here, there in
      let zone = try await here.privateDatabase.zone(named: "Books")
      _ = try await zone.share(title: "Books")
      // The answers to the link and to its acceptance are lost.
      ana.lost.store(1, ordering: .relaxed)
      let link = try await zone.oneTimeLink(.readOnly)
      #expect(try await there.invitation(link: link).permission == .readOnly)
      bob.lost.store(1, ordering: .relaxed)
      let joined = try await there.accept(link: link)
      #expect(joined.id == zone.id && joined.owner == here.me && !joined.canEdit)
      #expect(try await there.sharedDatabase.zones().map(\.id) == [zone.id])
      try await zone.setPublicPermission(.readWrite)
      #expect(try await zone.share()?.publicPermission == .readWrite)
      #expect(try await there.invitation(link: zone.link()).permission == .readWrite)

      let mine = try await here.publicDatabase.zone(of: here.me)
      let saved = try await mine.modify(saving: [CloudRecord("Book")])
      let seen = try #require(try await there.publicDatabase.zones().first)
      #expect(seen.owner == here.me && !seen.canEdit)
      #expect(try await seen.records(CloudQuery("Book")).records == saved)
      #expect(try await there.publicDatabase.zone(mine.id)?.id == mine.id)
      #expect(try await there.publicDatabase.changes().changed == [mine.id])
      let another = CloudRecord("Book")
      #expect(
        try await code { _ = try await seen.modify(saving: [another]) } == .permissionFailure)
    }
  }

  @Test func `the library deletes no folder of a zone`() async throws {
    try await play { desk, program in
      let zone = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      let id = try #require(RecordID(try desk.makeFolder(in: zone.id.description)))
      try await zone.modify { draft throws(CloudError) in draft.delete(id) }
      #expect(try await zone.record(id) == nil, "a program sees none")
      #expect(try desk.folders(in: zone.id.description) == 1)
    }
  }

  @Test func `two people share records from programs`() async throws {
    try await playTwo { ana, bob, here, there in
      let zone = try await here.privateDatabase.zone(named: "Books")
      let records = try await zone.modify(saving: [CloudRecord("Book"), CloudRecord("Book")])
      // The answers to the move and to the acceptance are lost.
      ana.lost.store(1, ordering: .relaxed)
      let trip = try await zone.share([records[0].id], title: "Trip")
      let person = try #require(try await here.person("bob"))
      #expect(try await trip.invite([person], .readOnly).participants.map(\.person) == [there.me])
      let invitation = try #require(try await there.invitations().first)
      #expect(invitation.title == "Trip" && invitation.inviter == here.me)
      let inviter = try #require(try await there.profile(of: invitation.inviter))
      #expect(inviter.handle == "ana" && !inviter.name.isEmpty)
      bob.lost.store(1, ordering: .relaxed)
      let shared = try await there.accept(invitation)
      #expect(try await there.sharedDatabase.zones().map(\.id) == [trip.id])
      #expect(try await shared.records(CloudQuery("Book")).records.map(\.id) == [records[0].id])
      #expect(!shared.canEdit && trip.canEdit)
      #expect(
        try await code { _ = try await shared.modify(saving: [CloudRecord("Book")]) }
          == .permissionFailure)
      #expect(try await trip.invite([person]).participants.map(\.permission) == [.readOnly])
      try await trip.setPermission(.readWrite, of: person)
      _ = try await shared.changes()
      #expect(shared.canEdit)
      try await zone.move([records[1].id], to: trip)
      #expect(try await shared.records(CloudQuery("Book")).records.count == 2)
      bob.lost.store(1, ordering: .relaxed)
      try await shared.leave()
      #expect(try await there.sharedDatabase.zones().isEmpty)
      ana.lost.store(1, ordering: .relaxed)
      try await here.privateDatabase.delete(trip.id)
      #expect(try await here.privateDatabase.zones().map(\.id) == [zone.id])
    }
  }

  // MARK: Changes of others

  @Test func `changes of another process arrive, also after a restart`() async throws {
    try await play { desk, program in
      let reader = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      let writer = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      var seen: Set<RecordID> = []
      var events = reader.events().makeAsyncIterator()
      for round in 0..<3 {
        let record = CloudRecord("Book")
        let written = Task {
          if round == 1 {
            desk.stop()
            try desk.start()
          }
          _ = try await writer.modify(saving: [record])
        }
        while !seen.contains(record.id) {
          for changed in try #require(await events.next()).changed { seen.insert(changed.id) }
        }
        try await written.value
      }
      let waiting = Task {
        var events = reader.events().makeAsyncIterator()
        while try await events.next() != nil {}
      }
      try desk.table.revoke("Shelf")
      #expect(try await code { try await waiting.value } == .notAuthenticated)
    }
  }

  @Test func `a change whose answer is lost is made once`() async throws {
    try await play { desk, program in
      let zone = try await CloudContainer.open(program).privateDatabase.zone(named: "Books")
      var record = try #require(try await zone.modify(saving: [CloudRecord("Book")]).first)
      for number in 1...5 {
        desk.lost.store(2, ordering: .relaxed)
        try await Self.count(record.id, in: zone)
        #expect(try await zone.record(record.id)?["count"] == .integer(Int64(number)))
      }
      record = try #require(try await zone.record(record.id))
      record["title"] = "once"
      desk.lost.store(1, ordering: .relaxed)
      record = try #require(try await zone.modify(saving: [record]).first)
      #expect(record["title"] == "once")
      desk.lost.store(1, ordering: .relaxed)
      _ = try await zone.modify(deleting: [record])
      #expect(try await zone.record(record.id) == nil)
      #expect(try await zone.history(of: record.id).count <= 8)
    }
  }
}
