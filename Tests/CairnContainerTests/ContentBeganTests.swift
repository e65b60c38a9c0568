import CairnZone
import Testing

@testable import CairnReplica

/// The change that brought a record's bytes, whatever has changed in the record since.
@Suite struct ContentBeganTests {
  @Test func `changes of time and place aren't changes of content, and neither are equal bytes`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, _, _) = try world.shared()
    try ana.write("f", [1])
    try ana.pull()
    let name = try #require(FileName("f"))
    let id = try #require(try ana.read { try $0.child(of: .root, named: name) })
    func began() throws -> UInt64? { try ana.read { try $0.contentBegan(of: id) } }
    let first = ana.header.sequence
    #expect(try began() == first)
    let content = try #require(try ana.read { try $0.record(id)?.content })
    try ana.save([
      RecordChange(
        id: id, act: .update, attributes: Attributes(isExecutable: true, modified: 5))
    ])
    try ana.save([RecordChange(id: id, act: .update, content: content)])
    #expect(try began() == first && ana.header.sequence == first + 2)
    #expect(try ana.read { try $0.contentBegan(of: .root) } == nil)
  }
}
