/// The staging folders of a folder that is attached. They are open only while there is work, so a
/// mount at rest holds no descriptors for them.
final class StagingAccess {
  private let root: Descriptor
  private let name: FileNameBytes
  private let names: Staging.FreshNames
  private var opened: Staging?

  init(root: Descriptor, opened: Staging) {
    self.root = root
    self.opened = opened
    name = opened.name
    names = opened.names
  }

  /// Returns the folders, and opens them if they are closed.
  func open() throws(FolderError) -> Staging {
    if let opened { return opened }
    let staging: Staging
    do throws(FolderError) {
      staging = try Staging(reopening: name, in: root, names: names)
    } catch {
      guard error.code == .notFound else { throw error }
      // Somebody removed one of them.
      staging = try Staging(root: root, name: name, names: names)
    }
    opened = staging
    return staging
  }

  /// Closes the folders until their next use.
  func close() { opened = nil }
}
