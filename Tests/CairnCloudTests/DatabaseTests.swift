import CairnCloud
import Testing

/// The changes of databases.
@Suite struct DatabaseTests {
  @Test func `a database tells which zones are new, changed and gone since a token`() async throws {
    let cloud = try Cloud()
    let container = try await cloud.open("ana")
    let database = container.privateDatabase
    let empty = try await database.changes()
    #expect(empty.changed.isEmpty && empty.deleted.isEmpty)
    let books = try await database.zone(named: "Books")
    let trip = try await database.zone(named: "Trip")
    let first = try await database.changes(since: empty.token)
    #expect(Set(first.changed) == [books.id, trip.id] && first.deleted.isEmpty)
    let token = DatabaseToken(text: first.token.text)
    let same = try await database.changes(since: token)
    #expect(same.changed.isEmpty && same.deleted.isEmpty && same.token == token)
    _ = try await trip.modify(saving: [CloudRecord("Photo")])
    #expect(try await database.changes(since: token).changed == [trip.id])
    try await database.delete(books.id)
    let last = try await database.changes(since: token)
    #expect(last.changed == [trip.id] && last.deleted == [books.id])
    #expect(try await database.zones().map(\.id) == [trip.id])
    #expect(try await database.changes().deleted.isEmpty)
    #expect(try await code { try await database.delete(books.id) } == .zoneNotFound)
    let new = try await database.zone(named: "Books")
    #expect(new.id != books.id)
    for text in ["", "x", "shared", "private.x"] {
      let wrong = DatabaseToken(text: text)
      #expect(try await code { _ = try await database.changes(since: wrong) } == .invalidArguments)
    }
  }

  @Test func `a zone that isn't shared with a person any more is gone for them`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = (try await cloud.open("ana"), try await cloud.open("bob"))
    let zone = try await ana.privateDatabase.zone(named: "Trip")
    _ = try await zone.share(title: "Trip")
    _ = try await zone.invite([bob.me], .readOnly)
    let start = try await bob.sharedDatabase.changes().token
    let invitation = try #require(try await bob.invitations().first)
    _ = try await bob.accept(invitation)
    let new = try await bob.sharedDatabase.changes(since: start)
    #expect(new.changed == [zone.id] && new.deleted.isEmpty)
    #expect(try await bob.privateDatabase.changes().changed.isEmpty)
    try await zone.remove(bob.me)
    let gone = try await bob.sharedDatabase.changes(since: new.token)
    #expect(gone.changed.isEmpty && gone.deleted == [zone.id])
    #expect(try await code { try await bob.sharedDatabase.delete(zone.id) } == .badDatabase)
    _ = try await ana.privateDatabase.changes()
  }
}
