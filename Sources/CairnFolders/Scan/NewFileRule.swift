import CairnZone

/// The rule that would keep a new file out of the zone of a mirrored folder. The rules are read
/// from the disk, without the engine.
public struct NewFileRule: Hashable, Sendable {
  /// The pattern as written.
  public let pattern: [UInt8]
  /// The path of its file in the folder; nil for a built-in pattern.
  public let file: [UInt8]?

  /// Finds the rule for a file; nil if the file would be mirrored.
  /// - Parameters:
  ///   - names: The names from the folder to the file.
  ///   - isEmpty: A Boolean value that indicates whether the file has no bytes.
  ///   - folder: The absolute path of the folder.
  /// - Throws: `FolderError` if the rules can't be read.
  public init?(
    ignoring names: [[UInt8]], isEmpty: Bool, in folder: [UInt8]
  ) throws(FolderError) {
    let root = try Descriptor.openRoot(folder, on: SystemDisk())
    let tree = IgnoreTree(root: root)
    tree.local = try IgnoreTree.readLocal(root)
    for depth in names.indices {
      guard let name = FileName(names[depth]) else { continue }
      var entry = FileStat(kind: depth == names.count - 1 ? .file : .directory)
      entry.size = isEmpty ? 0 : 1
      if let rule = try tree.rule(ignoring: name, in: Array(names.prefix(depth)), entry) {
        (pattern, file) = (rule.pattern, rule.file)
        return
      }
    }
    return nil
  }
}
