import Testing

@testable import CairnStore

/// The location of a container as a line of text.
@Suite struct StoreLocationTests {
  @Test(arguments: [
    ("/srv/cloud", "/srv/cloud"), ("/srv/cloud/", "/srv/cloud"), ("/", "/"),
    ("/srv/Wölkchen & Söhne", "/srv/Wölkchen & Söhne"),
  ]) func `an absolute path is a directory's`(text: String, folder: String) throws {
    let location = try #require(StoreLocation(text))
    #expect(location.text == folder && location.folder == folder && "\(location)" == folder)
    #expect(StoreLocation(location.text) == location)
  }

  @Test(arguments: ["", "srv/cloud", "./cloud", "~/cloud", "/srv\0/cloud", "http://example.org/c"])
  func `anything else is no location`(text: String) {
    #expect(StoreLocation(text) == nil)
  }

  @Test func `a place for a container is made once, and opened`() throws {
    let folder = TemporaryFolder()
    let location = try #require(StoreLocation(folder.path + "/cloud"))
    #expect(!location.isThere && location.clock() == nil)
    try location.make()
    try location.make()
    #expect(location.isThere)
    let key = try #require(ObjectKey("a/1"))
    #expect(try location.open().put(key, [1]) == .stored)
    #expect(try location.open(isReadOnly: true, mark: key).get(key) == [1])
    let away = #expect(throws: StoreError.self) {
      try location.open(mark: ObjectKey("b/1")).get(key)
    }
    #expect(away?.code == .unreachable)
    #expect(try location.probe().allowsManyWriters)
    let missing = try #require(StoreLocation(folder.path + "/no/cloud"))
    #expect(throws: StoreError.self) { try missing.make() }
  }

  @Test func `a store that can't notify says so`() {
    #expect(Subscription {}.notifies && !Subscription.silent.notifies)
  }
}
