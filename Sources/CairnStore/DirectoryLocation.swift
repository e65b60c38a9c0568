import Glibc

/// A directory that all members of a group can write to: an absolute path.
struct DirectoryLocation: StoreKind {
  let text: String

  /// Reads an absolute path, without slashes at its end.
  init?(_ text: String, _ settings: StoreSettings) {
    guard text.hasPrefix("/"), !text.utf8.contains(0) else { return nil }
    self.text = text.utf8.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  var folder: String? { text }

  var bucket: BucketPlace? { nil }

  var isReadOnly: Bool { false }

  /// The path with its links resolved. For a missing folder, the links of its parent are resolved.
  var whole: String {
    if let path = Self.resolved(text) { return path }
    guard let slash = text.lastIndex(of: "/"), slash != text.startIndex,
      let folder = Self.resolved(String(text[..<slash]))
    else { return text }
    return folder + text[slash...]
  }

  private static func resolved(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(validatingCString: found)
  }

  /// A dangling link counts: nothing can be created in its place.
  var isThere: Bool {
    var status = stat()
    return lstat(text, &status) == 0
  }

  func make() throws(StoreError) {
    guard mkdir(text, 0o777) != 0, errno != EEXIST else { return }
    throw StoreError(
      code: .denied, cause: "\(text) can't be made: \(String(cString: strerror(errno))).")
  }

  func open(isReadOnly: Bool, mark: ObjectKey?) -> any ObjectStore {
    DirectoryStore(root: text, isTidied: !isReadOnly, mark: mark)
  }

  func probe() throws(StoreError) -> StoreTraits { try StoreProbe.run(root: text) }

  func look() throws(StoreError) -> (fileSystem: String, notifies: Bool) {
    try StoreProbe.look(root: text)
  }

  /// The time that the file system gives to a new file without a name.
  func clock() -> Int64? {
    let file = Glibc.open(text, O_RDWR | Int32(0o20200000) | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var byte: UInt8 = 0
    var status = stat()
    guard write(file, &byte, 1) == 1, fstat(file, &status) == 0 else { return nil }
    return Int64(status.st_mtim.tv_sec)
  }
}
