import CairnZone
import Testing

/// The way up from a record, by places that may be anything.
@Suite struct AscentTests {
  private let outer = RecordID(Bytes16(high: 0, low: 1))
  private let inner = RecordID(Bytes16(high: 0, low: 2))
  private let file = RecordID(Bytes16(high: 0, low: 3))

  private func place(_ parent: RecordID, _ name: String) throws -> Place {
    Place(parent: parent, name: try #require(FileName(name)))
  }

  @Test func `names go from the top down, directories from the record up`() throws {
    let places = [
      outer: try place(.root, "outer"), inner: try place(outer, "inner"),
      file: try place(inner, "file"),
    ]
    let way = Ascent(from: file) { places[$0] }
    #expect(way.isWhole)
    #expect(way.names.map(\.description) == ["outer", "inner", "file"])
    #expect(way.directories == [inner, outer, .root])
    #expect(Ascent(from: .root) { places[$0] }.isWhole)
    #expect(Ascent(from: .root) { places[$0] }.places.isEmpty)
  }

  @Test func `where a place isn't known the way ends`() throws {
    let places = [file: try place(inner, "file")]
    let way = Ascent(from: file) { places[$0] }
    #expect(!way.isWhole)
    #expect(way.names.map(\.description) == ["file"])
  }

  @Test func `a circle ends`() throws {
    let places = [outer: try place(inner, "outer"), inner: try place(outer, "inner")]
    let way = Ascent(from: outer) { places[$0] }
    #expect(!way.isWhole)
    #expect(way.places.count == Ascent.most)
  }
}
