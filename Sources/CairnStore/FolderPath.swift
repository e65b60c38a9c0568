/// A folder of keys, "" for the root: the argument of `follow`. It knows no file system.
struct FolderPath: Sendable, CustomStringConvertible {
  let components: [String]

  /// Reads a path with or without a "/" at its end. Throws `.unsupported` if it cannot contain
  /// keys.
  init(_ text: String) throws(StoreError) {
    let bare = text.hasSuffix("/") ? String(text.dropLast()) : text
    guard bare.isEmpty || ObjectKey(bare) != nil else {
      throw StoreError(
        code: .unsupported,
        cause: "“\(text)” is no folder of objects: use a-z, 0-9, “.”, “_”, “-” between slashes.")
    }
    components = bare.split(separator: "/").map(String.init)
  }

  var description: String { path(depth: components.count) }

  /// The path of the first `depth` components.
  func path(depth: Int) -> String {
    components.prefix(depth).joined(separator: "/")
  }
}
