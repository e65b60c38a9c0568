import CairnCloud
import CairnMirror
import Foundation
import Testing

/// Rows of two people.
@Suite struct SharingTests {
  private static func people() async throws -> (cloud: Cloud, ana: Program, bob: Program) {
    let cloud = try Cloud()
    let ana = try await Program(cloud, cloud.open("ana"))
    let bob = try await Program(cloud, cloud.open("bob"))
    try ana.run(
      """
      INSERT INTO note VALUES (1, 'trip', NULL), (2, 'secret', NULL);
      INSERT INTO paragraph(note, place, body) VALUES (1, 1, 'one'), (2, 1, 'hidden');
      INSERT INTO tag VALUES (1, 'fun', NULL), (2, 'own', NULL);
      INSERT INTO note_tag VALUES (1, 1), (2, 1), (2, 2);
      """)
    return (cloud, ana, bob)
  }

  @discardableResult
  private static func share(
    _ ana: Program, _ bob: Program, _ permission: Share.Permission = .readWrite
  ) async throws -> CloudZone {
    let share = try await ana.mirror.share([MirroredRow("note", 1)], title: "Trip")
    _ = try await share.invite([bob.container.me], permission)
    let invitation = try #require(try await bob.container.invitations().first)
    _ = try await bob.container.accept(invitation)
    try await bob.sync()
    return share
  }

  @Test func `a shared note takes its paragraphs and tags along, and nothing else`() async throws {
    let (_, ana, bob) = try await Self.people()
    try bob.run(
      "INSERT INTO note VALUES (1, 'mine', NULL); INSERT INTO tag VALUES (1, 'fun', 'red')")
    let share = try await Self.share(ana, bob)
    #expect(try bob.rows("SELECT title FROM note ORDER BY 1") == ["mine", "trip"])
    #expect(try bob.rows("SELECT body FROM paragraph") == ["one"])
    #expect(try bob.rows("SELECT name FROM tag") == ["fun"])
    #expect(try await bob.mirror.status() == MirrorStatus.nothing)
    let row = MirroredRow("note", 1)
    #expect(
      try await ana.mirror.shares(of: [row, MirroredRow("note", 2)]).mapValues(\.id) == [
        row: share.id
      ])
    // Both edit one note, and new rows of both are in the share.
    try ana.run("INSERT INTO paragraph(note, place, body) VALUES (1, 2, 'from ana')")
    try bob.run(
      """
      INSERT INTO paragraph(note, place, body)
        SELECT id, 3, 'from bob' FROM note WHERE title = 'trip';
      UPDATE paragraph SET body = 'ONE' WHERE body = 'one';
      INSERT INTO paragraph(note, place, body)
        SELECT id, 1, 'private' FROM note WHERE title = 'mine';
      """)
    try await meet(ana, bob)
    #expect(
      try ana.rows("SELECT body FROM paragraph WHERE note = 1 ORDER BY place") == [
        "ONE", "from ana", "from bob",
      ])
    #expect(
      try bob.rows("SELECT body FROM paragraph ORDER BY body") == [
        "ONE", "from ana", "from bob", "private",
      ])
    #expect(try ana.rows("SELECT count(*) FROM note WHERE title = 'mine'") == ["0"])
    for program in [ana, bob] { try program.check() }
    // The tag is a copy here, and its row is one: a change comes to both zones.
    try ana.run("UPDATE tag SET color = 'blue' WHERE name = 'fun'")
    try await meet(ana, bob)
    #expect(try bob.rows("SELECT color FROM tag WHERE name = 'fun'") == ["blue"])
    #expect(
      try await ana.mirror.home.records(CloudQuery("tag", where: .field("name", .equal, "fun")))
        .records.map { $0["color"] } == ["blue"])
    // It leaves the share again.
    try await ana.mirror.share([row], to: ana.mirror.home)
    try await bob.sync()
    #expect(try bob.rows("SELECT title FROM note") == ["mine"])
    #expect(try ana.rows("SELECT count(*) FROM paragraph WHERE note = 1") == ["3"])
    for program in [ana, bob] { try program.check() }
  }

  @Test func `a row that the zone refuses stays, carries the reason, and can be given up`()
    async throws
  {
    let (_, ana, bob) = try await Self.people()
    let share = try await Self.share(ana, bob, .readOnly)
    let id = try #require(Int64(try bob.rows("SELECT id FROM note")[0]))
    let note = MirroredRow("note", .integer(id))
    #expect(try await !bob.mirror.canUpdate(note))
    #expect(try await !bob.mirror.canDelete(note))
    try bob.run("UPDATE note SET color = 'red'; INSERT INTO note(title) VALUES ('mine')")
    try await bob.sync()
    let problems = try await bob.mirror.problems()
    #expect(problems.map(\.row) == [note] && problems.map(\.code) == [.permissionFailure])
    #expect(try bob.rows("SELECT color FROM note WHERE title = 'trip'") == ["red"])
    // His own note is sent, and Ana's change of another column arrives.
    #expect(try await bob.mirror.status().unsent == 1)
    try ana.run("UPDATE note SET title = 'Trip' WHERE id = 1")
    try await meet(ana, bob)
    #expect(try bob.rows("SELECT title, color FROM note WHERE id = \(id)") == ["Trip|red"])
    let error = await #expect(throws: CloudError.self) { try await bob.mirror.settled() }
    #expect(error?.code == .permissionFailure)
    try await bob.mirror.revert([note])
    #expect(try bob.rows("SELECT title, color FROM note WHERE id = \(id)") == ["Trip|-"])
    #expect(try await bob.mirror.status() == MirrorStatus.nothing)
    // A deletion is refused in the same way, and sent when the right is there.
    try bob.run("DELETE FROM note WHERE id = \(id)")
    try await bob.sync()
    #expect(try await bob.mirror.status().refused > 0)
    try await share.setPermission(.readWrite, of: bob.container.me)
    try await meet(bob, ana)
    #expect(try ana.rows("SELECT title FROM note") == ["secret"])
    #expect(try await bob.mirror.status() == MirrorStatus.nothing)
  }

  @Test func `a removed person keeps unsent rows with the reason, and loses the others`()
    async throws
  {
    let (_, ana, bob) = try await Self.people()
    let share = try await Self.share(ana, bob)
    try ana.run("INSERT INTO paragraph(note, place, body) VALUES (1, 2, 'two')")
    try await meet(ana, bob)
    try bob.run("UPDATE paragraph SET body = 'edited' WHERE body = 'one'")
    try await share.remove(bob.container.me)
    try await bob.sync()
    #expect(
      try bob.rows("SELECT title, body FROM paragraph JOIN note ON note.id = note") == [
        "trip|edited"
      ])
    #expect(Set(try await bob.mirror.problems().map(\.code)) == [.userDeletedZone])
    try bob.check()
    let kept = try await bob.mirror.problems().map(\.row)
    try await bob.mirror.keep(kept)
    try await bob.mirror.settled()
    #expect(
      try bob.rows("SELECT title, body FROM paragraph JOIN note ON note.id = note") == [
        "trip|edited"
      ])
    #expect(try await bob.mirror.home.changes().changed.count == 2)
  }

  @Test func `a note that moves below another parent follows it to its zone`() async throws {
    let (_, ana, bob) = try await Self.people()
    try await Self.share(ana, bob)
    try ana.run("UPDATE paragraph SET note = 1 WHERE body = 'hidden'")
    try await meet(ana, bob)
    #expect(try bob.rows("SELECT body FROM paragraph ORDER BY 1") == ["hidden", "one"])
    try ana.run("UPDATE paragraph SET note = 2")
    try await meet(ana, bob)
    #expect(try bob.rows("SELECT body FROM paragraph") == [])
    #expect(try bob.rows("SELECT title FROM note") == ["trip"])
    #expect(try ana.rows("SELECT count(*) FROM paragraph WHERE note = 2") == ["2"])
    for program in [ana, bob] { try program.check() }
  }

  @Test func `a purged share is gone for everybody`() async throws {
    let (_, ana, bob) = try await Self.people()
    let share = try await Self.share(ana, bob)
    try await ana.mirror.purge(share)
    try await bob.sync()
    #expect(try bob.rows("SELECT title FROM note") == [])
    #expect(try ana.rows("SELECT title FROM note") == ["secret"])
    for program in [ana, bob] { try program.check() }
  }

  @Test func `the number of a deleted note shares no later note`() async throws {
    let (_, ana, bob) = try await Self.people()
    try await Self.share(ana, bob)
    #expect(try bob.rows("SELECT id FROM note") == ["1"])
    try bob.run("DELETE FROM note; INSERT INTO note(title) VALUES ('diary')")
    #expect(try bob.rows("SELECT id FROM note") == ["1"])
    try await meet(bob, ana)
    #expect(try bob.rows("SELECT title FROM note") == ["diary"])
    #expect(try ana.rows("SELECT title FROM note") == ["secret"])
  }

  @Test func `a refused deletion is named by its old key, and given up without the later row`()
    async throws
  {
    let (_, ana, bob) = try await Self.people()
    try await Self.share(ana, bob, .readOnly)
    try bob.run("DELETE FROM note; INSERT INTO note(title) VALUES ('diary')")
    try await bob.sync()
    #expect(try await bob.mirror.problems().map(\.row).contains(MirroredRow("note", 1)))
    try await bob.mirror.revert(bob.mirror.problems().map(\.row))
    #expect(try bob.rows("SELECT title FROM note ORDER BY 1") == ["diary", "trip"])
    #expect(try bob.rows("SELECT body FROM paragraph") == ["one"])
    #expect(try await bob.mirror.status() == MirrorStatus.nothing)
    try bob.check()
  }

  @Test func `a paragraph that two devices move and edit takes its note along nowhere`()
    async throws
  {
    let (one, two) = try await twoDevices(try Cloud())
    try one.run(
      """
      INSERT INTO note VALUES (1, 'trip', NULL), (2, 'own', NULL);
      INSERT INTO paragraph(note, place, body) VALUES (2, 1, 'p')
      """)
    let share = try await one.mirror.share([MirroredRow("note", 1)], title: "Trip")
    try await meet(one, two)
    try two.run("UPDATE paragraph SET body = 'P'")
    try one.run("UPDATE paragraph SET note = 1")
    // The program ends when the paragraph is in its new zone, and not out of the old one.
    try await one.crash(after: 1)
    try await meet(two, one)
    for program in [one, two] {
      #expect(
        try program.rows("SELECT title, body FROM paragraph JOIN note ON note.id = note") == [
          "trip|P"
        ])
      try program.check()
    }
    let titles = try await one.mirror.home.records(CloudQuery("note")).records.map { $0["title"] }
    #expect(titles == ["own"])
    #expect(try await one.mirror.home.records(CloudQuery("paragraph")).records.isEmpty)
    #expect(try await share.records(CloudQuery("paragraph")).records.count == 1)
  }

  @Test func `a refused parent and its children stay, and are sent when the limit is gone`()
    async throws
  {
    let (_, ana, bob) = try await Self.people()
    let share = try await Self.share(ana, bob)
    try limit(share, to: 1)
    try bob.run(
      """
      INSERT INTO note(id, title) VALUES (7, 'mine');
      UPDATE note SET color = zeroblob(20000) WHERE title = 'trip';
      INSERT INTO paragraph(note, place, body) SELECT id, 5, 'child' FROM note WHERE title = 'trip'
      """)
    try await meet(bob, ana)
    #expect(try await bob.mirror.problems().map(\.code).contains(.quotaExceeded))
    #expect(try bob.rows("SELECT count(*) FROM note WHERE length(color) = 20000") == ["1"])
    #expect(try bob.rows("SELECT body FROM paragraph ORDER BY 1") == ["child", "one"])
    #expect(try await bob.mirror.home.records(CloudQuery("note")).records.count == 1)
    try limit(share, to: nil)
    try await meet(bob, ana)
    #expect(
      try ana.rows("SELECT body FROM paragraph WHERE note = 1 ORDER BY 1") == ["child", "one"])
    #expect(try ana.rows("SELECT length(color) FROM note WHERE id = 1") == ["20000"])
    #expect(try await bob.mirror.status() == MirrorStatus.nothing)
    for program in [ana, bob] { try program.check() }
  }
}
