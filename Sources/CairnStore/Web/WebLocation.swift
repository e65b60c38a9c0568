/// A container behind a web server: `https://HOST[:PORT][/PATH]`, and `http://` for this machine.
/// It is read-only here; its host writes to it in another way.
struct WebLocation: StoreKind {
  let text: String
  /// `https://` or `http://`, and the host.
  private let origin: String
  /// The path, with a slash at both ends.
  private let path: String

  init?(_ text: String, _ settings: StoreSettings) {
    guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }),
      text.utf8.count <= 2048
    else { return nil }
    let parts = AddressText.split(text.dropFirst(scheme.count))
    guard let host = parts.first, AddressText.isHost(host),
      parts.dropFirst().allSatisfy({ AddressText.isName($0) })
    else { return nil }
    let name = host.lowercased()
    guard scheme == "https://" || AddressText.isLoopback(name) else { return nil }
    origin = scheme + name
    path = "/" + parts.dropFirst().map { $0 + "/" }.joined()
    self.text = ([origin] + parts.dropFirst().map(String.init)).joined(separator: "/")
  }

  // MARK: StoreKind

  var folder: String? { nil }

  var bucket: BucketPlace? { nil }

  var whole: String { text }

  var isReadOnly: Bool { true }

  private func store(mark: ObjectKey? = nil) -> WebStore {
    WebStore(WebConnection(origin: origin, path: path), location: text, mark: mark)
  }

  /// A Boolean value that indicates whether the server answers.
  var isThere: Bool {
    do throws(StoreError) {
      try store().checkHonesty()
      return true
    } catch { return false }
  }

  func make() throws(StoreError) { throw WebStore.onlyRead(text) }

  func open(isReadOnly: Bool, mark: ObjectKey?) -> any ObjectStore { store(mark: mark) }

  func probe() throws(StoreError) -> StoreTraits {
    let look = try look()
    return StoreTraits(
      findings: [
        StoreTraits.Finding(
          "read-only", works: true, note: "a web server shows the container, and stores nothing")
      ],
      allowsManyWriters: false, isDurable: false, notifies: false, fileSystem: look.fileSystem)
  }

  func look() throws(StoreError) -> (fileSystem: String, notifies: Bool) {
    let server = try store().checkHonesty()
    return (server.isEmpty ? "web" : "web (\(server))", false)
  }

  func clock() -> Int64? { store().serverTime() }
}
