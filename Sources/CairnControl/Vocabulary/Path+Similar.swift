import Glibc

extension Control.Path {
  /// The number of names of a directory that are compared.
  private static let most = 10_000

  /// The existing path that a path without an entry was probably meant to be. The first name on the
  /// path without an entry is replaced by the name in its directory that resembles it most, also in
  /// other letter case. Nil if the path has an entry, or nothing resembles it.
  ///
  /// Reads at most 10,000 names of each directory on the path.
  public var similar: Control.Path? {
    guard isAbsolute, !Self.hasEntry(bytes) else { return nil }
    let slash = UInt8(ascii: "/")
    var names = bytes.split(separator: slash)
    var (folder, changed) = ([UInt8](), false)
    for index in names.indices {
      let path = folder + [slash] + names[index]
      if !Self.hasEntry(path) {
        guard let typed = String(validating: names[index], as: UTF8.self),
          let near = Resemblance.nearest(typed, among: Self.entries(of: folder, like: typed))
        else { return changed ? Control.Path(folder) : nil }
        (names[index], changed) = (ArraySlice(near.utf8), true)
      }
      folder += [slash] + names[index]
    }
    return Control.Path(folder)
  }

  /// The sentence that names the similar path, with a space after it; empty if there is none.
  public var suggestion: String { similar.map { "Did you mean \($0)? " } ?? "" }

  private static func hasEntry(_ path: [UInt8]) -> Bool {
    var status = stat()
    return withCharacters(path) { lstat($0, &status) == 0 }
  }

  /// The names in a directory, without hidden ones if the typed name isn't hidden.
  private static func entries(of folder: [UInt8], like typed: String) -> [String] {
    let path = folder.isEmpty ? [UInt8(ascii: "/")] : folder
    guard let listing = withCharacters(path, { opendir($0) }) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while names.count < most, let entry = readdir(listing) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        Array(name.prefix { $0 != 0 })
      }
      guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != "..",
        !name.hasPrefix(".") || typed.hasPrefix(".")
      else { continue }
      names.append(name)
    }
    return names
  }

  private static func withCharacters<Result>(
    _ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { characters in
      guard let first = characters.baseAddress else {
        preconditionFailure("a text that ends with a NUL is empty")
      }
      return body(first)
    }
  }
}
