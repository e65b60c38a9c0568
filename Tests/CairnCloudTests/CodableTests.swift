import CairnCloud
import Foundation
import Testing

/// Structures as records.
@Suite struct CodableTests {
  private enum Kind: String, Codable { case picture, text }

  private struct Post: Codable, Equatable, Identifiable {
    var id = RecordID.random()
    var title: String
    var kind: Kind
    var likes: UInt16
    var score: Double
    var isPinned: Bool
    var taken: Date
    var thumbnail: [UInt8]
    var raw: Data
    var album: RecordID?
    var tags: [String]
    var ratings: [Int]
    var related: [RecordID]
    var place: FieldValue?
  }

  private static let post = Post(
    title: "Sea", kind: .picture, likes: 3, score: 4, isPinned: true,
    taken: Date(timeIntervalSince1970: 1_700_000_000.25), thumbnail: [1, 2], raw: Data([3]),
    album: .random(), tags: ["a", "b"], ratings: [], related: [.random()],
    place: .location(latitude: 1, longitude: 2))

  @Test func `a structure becomes a record, and comes back`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Posts")
    let record = try CloudRecord("Post", encoding: Self.post)
    #expect(record.id == Self.post.id && record["id"] == nil)
    #expect(record["likes"] == 3 && record["score"] == .number(4) && record["kind"] == "picture")
    #expect(record["taken"] == .date(1_700_000_000_250_000_000))
    #expect(record["thumbnail"] == .bytes([1, 2]) && record["raw"] == .bytes([3]))
    #expect(record["tags"] == .list(["a", "b"]) && record["ratings"] == .list([]))
    #expect(record["album"] == Self.post.album.map { .reference($0) })
    let saved = try #require(try await zone.modify(saving: [record]).first)
    #expect(try saved.decode(Post.self) == Self.post)
  }

  @Test func `an asset is a property, too`() async throws {
    struct Film: Codable {
      var name: String
      var bytes: Asset
    }
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Films")
    let asset = try await zone.upload(try cloud.file("film", [1, 2, 3]))
    let record = try CloudRecord("Film", encoding: Film(name: "x", bytes: asset))
    let saved = try #require(try await zone.modify(saving: [record]).first)
    #expect(try saved.decode(Film.self).bytes == asset)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(asset) }
  }

  @Test func `fields that the structure doesn't have stay, and a property that is nil goes`() throws
  {
    struct Old: Codable {
      var title: String
      var note: String?
    }
    var record = CloudRecord("Post")
    record["title"] = "Sea"
    record["note"] = "blue"
    record["color"] = "of a newer program"
    var old = try record.decode(Old.self)
    (old.title, old.note) = ("Lake", nil)
    try record.encode(old)
    #expect(record.fields == ["title": "Lake", "color": "of a newer program"])
    #expect(try record.decode(Old.self).note == nil)
  }

  @Test func `what a record can't hold is refused by name`() throws {
    struct Inner: Codable { var x = 1 }
    struct Outer: Codable { var inner = Inner() }
    struct Large: Codable { var number = UInt64.max }
    struct Far: Codable { var date = Date.distantPast }
    struct Gap: Codable { var list: [String?] = ["a", nil] }
    func message(_ value: some Encodable) -> String? {
      let error = #expect(throws: CloudError.self) { try CloudRecord("T", encoding: value) }
      return error?.code == .invalidArguments ? error?.message : nil
    }
    #expect(message(Outer())?.contains("inner") == true)
    #expect(message([Outer()]) != nil && message(7) != nil && message("text") != nil)
    #expect(message(Large())?.contains("number") == true)
    #expect(message(Far())?.contains("date") == true)
    #expect(message(Gap())?.contains("list") == true)
    #expect(throws: CloudError.self) {
      _ = try CloudRecord("T", id: .random(), encoding: Self.post)
    }
    var other = CloudRecord("Post")
    #expect(throws: CloudError.self) { try other.encode(Self.post) }
    #expect(other.fields.isEmpty)
  }

  @Test func `a field of another kind, or a missing one, is named`() throws {
    struct Post: Codable {
      var title: String
      var likes: UInt8
      var tags: [Kind]
    }
    func message(_ fields: [String: FieldValue]) -> String? {
      var record = CloudRecord("Post")
      for (name, value) in fields { record[name] = value }
      do { _ = try record.decode(Post.self) } catch {
        return error.code == .invalidArguments ? error.message : nil
      }
      return nil
    }
    #expect(message([:])?.contains("no field title") == true)
    #expect(message(["title": 1])?.contains("field title") == true)
    #expect(message(["title": "a", "likes": 300])?.contains("field likes") == true)
    let tags: FieldValue = .list(["other"])
    #expect(message(["title": "a", "likes": 3, "tags": tags])?.contains("tags") == true)
    #expect(message(["title": "a", "likes": 3, "tags": "picture"])?.contains("tags") == true)
    #expect(message(["title": "a", "likes": 3, "tags": .list(["picture"])]) == nil)
  }
}
