import Testing

@testable import CairnStore

/// A container behind a web server: what it shows can be read, and nothing is taken for gone since
/// a server shows something else.
@Suite struct WebStoreTests {
  private func shown(
    _ ways: [String] = [], mark: String? = nil
  ) throws -> (store: ShownFolder, folder: TemporaryFolder) {
    let folder = TemporaryFolder()
    return (ShownFolder(folder.path, ways, mark: try mark.map { try key($0) }), folder)
  }

  @Test(arguments: [[], ["ranges"], ["busy"]])
  func `what is in the folder is read and listed`(ways: [String]) throws {
    let (store, folder) = try shown(ways, mark: "container")
    defer { withExtendedLifetime(folder) {} }
    let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    for (name, bytes) in [("container", [1]), ("users/a/log/1", large), ("users/b/log/2", [])] {
      _ = try store.directory.put(key(name), bytes)
    }
    let web = store.web
    #expect(try web.get(key("users/a/log/1")) == large)
    #expect(try web.get(key("users/a/log/1"), range: 9..<250_000) == Array(large[9..<250_000]))
    #expect(try web.size(of: key("users/b/log/2")) == 0)
    #expect(try web.get(key("users/a/log/2")) == nil)
    let all = ["container", "users/a/log/1", "users/b/log/2"]
    #expect(try web.list("", after: nil, limit: 10).map(\.description) == all)
    #expect(try web.folders(in: "users/") == ["a", "b"])
    #expect(try web.list("users/c/", after: nil, limit: 10) == [])
    // What was told a moment ago isn't told for ever.
    _ = try store.directory.put(key("users/c/log/1"), [3])
    #expect(try web.get(key("users/c/log/1")) == [3])
    #expect(try web.folders(in: "users/") == ["a", "b", "c"])
  }

  @Test func `nothing is written`() throws {
    let (store, folder) = try shown()
    defer { withExtendedLifetime(folder) {} }
    _ = try store.directory.put(key("a"), [1])
    func isRefused(_ act: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try act() }
      #expect(error?.code == .denied && error?.cause.contains("only be read") == true)
    }
    isRefused { _ = try store.web.put(key("b"), [1]) }
    isRefused { try store.web.delete(key("a")) }
    isRefused { try store.web.mend(key("a"), [2]) }
    isRefused { try store.web.remove(key("a"), ifIts: [1], upTo: 9) }
    isRefused { try store.location.make() }
    #expect(store.location.isReadOnly && store.location.isThere)
    #expect(try store.location.probe().allowsManyWriters == false)
    #expect(try store.location.look().fileSystem.hasPrefix("web (SimpleHTTP"))
    #expect(store.location.clock() != nil)
    #expect(try store.directory.list("", after: nil, limit: 9).map(\.description) == ["a"])
  }

  @Test func `without lists what has a known key is read, and a list isn't empty`() throws {
    let (store, folder) = try shown(["no-lists"], mark: "container")
    defer { withExtendedLifetime(folder) {} }
    for name in ["container", "users/a/log/1"] { _ = try store.directory.put(key(name), [1]) }
    #expect(try store.web.get(key("users/a/log/1")) == [1])
    #expect(try store.web.get(key("users/a/log/2")) == nil)
    func isListless(_ look: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try look() }
      #expect(error?.code == .unlisted && error?.isWorthRetrying == false)
    }
    isListless { _ = try store.web.list("users/", after: nil, limit: 1) }
    isListless { _ = try store.web.folders(in: "users/") }
    // A page of something else is none of the folder.
    let page = Array("<html><a href=\"about\">About</a></html>".utf8)
    _ = try store.directory.put(key("index.html"), page)
    let other = ShownFolder(folder.path, mark: try key("container"))
    isListless { _ = try other.web.list("", after: nil, limit: 1) }
  }

  @Test func `a server that shows a page for everything is found out, and one that is away`()
    throws
  {
    let (store, folder) = try shown(["page-for-all"])
    defer { withExtendedLifetime(folder) {} }
    let error = #expect(throws: StoreError.self) { try store.location.look() }
    #expect(error?.code == .unsupported && error?.cause.contains("404") == true)
    #expect(!store.location.isThere)
    let nobody = try #require(StoreLocation("http://127.0.0.1:1/x"))
    let away = #expect(throws: StoreError.self) { try nobody.open().get(key("a")) }
    #expect(away?.code == .unreachable && nobody.clock() == nil)
  }

  @Test func `where the container's mark is missing nothing is gone`() throws {
    let (store, folder) = try shown(mark: "container")
    defer { withExtendedLifetime(folder) {} }
    let error = #expect(throws: StoreError.self) { try store.web.get(key("users/a")) }
    #expect(error?.code == .unreachable && error?.cause.contains("container is missing") == true)
    _ = try store.directory.put(key("container"), [1])
    #expect(try store.web.get(key("users/a")) == nil)
  }

  // MARK: Pages

  @Test(arguments: [
    // nginx
    "<a href=\"../\">../</a>\r\n<a href=\"log/\">log/</a> 24-Nov-2026\r\n"
      + "<a href=\"start\">start</a>",
    // Apache
    "<a href=\"?C=N;O=D\">Name</a><a href=\"/cloud/\">Parent Directory</a>"
      + "<a href=\"log/\">log/</a><a href=\"start\">start</a>",
    // Caddy
    "<a href=\"..\">up</a><a href=\"./log/\">log</a><a href='./start'>start</a>",
    // Servers that write the whole path, or encode what needn't be
    "<A HREF=\"/cloud/users/log/\">log</A><a href=\"/cloud/users/start\">start</a>",
    "<a href=\"l%6Fg/\">log</a><a class=x href=\"st%61rt\">start</a>",
  ])
  func `a page of a folder is read, whichever server makes it`(_ links: String) {
    let page = FolderPage(bytes("<html>\(links)</html>"), path: "/cloud/users/")
    #expect(page.objects == ["start"] && page.folders == ["log"])
  }

  @Test func `what a page says is text, whatever it is`() {
    let links = [
      "../../etc/passwd", "/etc/passwd", "https://example.org/x", "//example.org/x", "..", ".",
      ".hidden", "%2e%2e/", "a/b", "a%2fb", "A", "a b", "%", "%zz", "x?y", "x#y", "",
      String(repeating: "a", count: 256), "&#47;x",
    ].map { "<a href=\"\($0)\">" }.joined()
    let page = FolderPage(bytes(links + "<a href=\"no end"), path: "/cloud/")
    #expect(page.objects == [] && page.folders == [])
    #expect(FolderPage.isWhole(bytes("<html>x</html>\n")) && !FolderPage.isWhole(bytes("<html>x")))
  }

  // MARK: Locations

  @Test(arguments: [
    ("https://Cloud.Example.org/team/", "https://cloud.example.org/team"),
    ("https://example.org", "https://example.org"),
    ("https://example.org:8443/a/B-1.2_x", "https://example.org:8443/a/B-1.2_x"),
    ("http://127.0.0.1:8000/c", "http://127.0.0.1:8000/c"),
    ("http://localhost/c", "http://localhost/c"), ("http://[::1]:80/c", "http://[::1]:80/c"),
  ])
  func `a web server's address is one line`(_ text: String, _ form: String) throws {
    let location = try #require(StoreLocation(text))
    #expect(location.text == form && location.isReadOnly && location.folder == nil)
    #expect(location.bucket == nil && StoreLocation.isAddress(text))
    #expect(StoreLocation(location.text) == location)
  }

  @Test(arguments: [
    "https://", "https:///x", "http://example.org/c", "http://127.0.0.1.example.org/c",
    "http://127.evil/c", "http://128.0.0.1/c", "http://localhost.example.org/c",
    "https://user:secret@example.org/c", "https://example.org/../c", "https://example.org/a//b",
    "https://example.org/c?x", "https://example.org/c#x", "https://example.org/a b",
    "https://example.org/%41", "ftp://example.org/c", "HTTPS://example.org/c",
  ])
  func `anything else is no web server's address`(_ text: String) {
    #expect(StoreLocation(text) == nil)
  }
}
