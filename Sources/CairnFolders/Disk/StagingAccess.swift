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

  /// Opens the folders if they are closed. It creates none: somebody may be deleting the whole
  /// folder, and a new entry in it would stop that.
  /// - Returns: The folders; nil if `.cairn` is gone. Then the check of the root says why.
  /// - Throws: `FolderError` if one of them can't be opened.
  func open() throws(FolderError) -> Staging? {
    if let opened { return opened }
    do throws(FolderError) {
      opened = try Staging(reopening: name, in: root, names: names)
    } catch {
      let own = try FileStat.at(root, name)
      guard error.code == .notFound, own == nil else { throw error }
    }
    return opened
  }

  /// Closes the folders until their next use.
  func close() { opened = nil }
}
