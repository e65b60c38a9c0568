/// The page of a folder from a web server: its links to names in that folder. Every server makes a
/// different page, and it can contain anything. It proves only that these links were there.
struct FolderPage {
  /// The names of files and of folders, in no certain order.
  private(set) var objects: Set<String> = []
  private(set) var folders: Set<String> = []

  /// Reads the links of a page.
  /// - Parameters:
  ///   - body: The page.
  ///   - path: The folder's path from the host on, with a slash at both ends.
  init(_ body: [UInt8], path: String) {
    for link in Self.links(in: body) {
      guard let name = Self.name(link, path: path) else { continue }
      if name.hasSuffix("/") {
        let folder = String(name.dropLast())
        if ObjectKey.isComponent(folder.utf8) { folders.insert(folder) }
      } else if ObjectKey.isComponent(name.utf8) {
        objects.insert(name)
      }
    }
  }

  /// Returns whether a page is complete: half of it would say that the rest does not exist.
  static func isWhole(_ body: [UInt8]) -> Bool {
    let end = String(decoding: body.suffix(200), as: UTF8.self).lowercased()
    return end.contains("</html>")
  }

  /// The value of each `href`, unchanged.
  private static func links(in body: [UInt8]) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    var rest = body[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "=")) {
      let before = rest[..<start].suffix(4)
      rest = rest[(start + 1)...]
      guard String(decoding: before, as: UTF8.self).lowercased() == "href",
        let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = rest.dropFirst().firstIndex(of: quote)
      else { continue }
      found.append(rest[(rest.startIndex + 1)..<end])
      rest = rest[end...]
    }
    return found
  }

  /// The name in the folder that a link leads to, with a slash at the end for a folder; nil if it
  /// leads elsewhere.
  private static func name(_ link: ArraySlice<UInt8>, path: String) -> String? {
    var text = S3Answer.unescaped(link)[...]
    if text.hasPrefix("./") { text = text.dropFirst(2) }
    if text.hasPrefix("/") {
      guard text.hasPrefix(path) else { return nil }
      text = text.dropFirst(path.utf8.count)
    }
    // The characters of keys need no encoding, but a server may encode them.
    return decoded(text)
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
