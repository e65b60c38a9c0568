import CairnPlan
import CairnZone

/// The reasons that names in a folder are missing from the index, for readers other than the
/// mount's engine. It looks at the disk and at the rules only.
public final class UnmirroredNames {
  /// The reason that a name is unknown.
  public enum Reason: Hashable, Sendable {
    /// A pattern keeps it out, or it is Cairn's own.
    case ignored
    /// It wasn't scanned yet.
    case unseen
  }

  private let folder: [UInt8]
  /// The folder, opened when it is needed; nil if it cannot be opened.
  private lazy var root = try? Descriptor.openRoot(folder, on: SystemDisk())
  private lazy var rules = root.map { IgnoreTree(root: $0) }
  private var hasLocal = false

  /// Creates a value for a folder, and opens nothing yet.
  public init(of folder: [UInt8]) { self.folder = folder }

  /// Returns the reason that the entry at a path is unknown; nil if there is none, or it cannot be
  /// mirrored.
  public func reason(_ path: [UInt8]) -> Reason? {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let root, let last = names.last else { return nil }
    do throws(FolderError) {
      let above = Array(names.dropLast())
      guard let stat = try FileStat.at(root.openDirectory(above), last), stat.kind != .other,
        stat.device == (try FileStat.of(root).device)
      else { return nil }
      if names.contains(Staging.folder) { return .ignored }
      if !hasLocal {
        rules?.local = try IgnoreTree.readLocal(root)
        hasLocal = true
      }
      for depth in names.indices {
        let entry = depth < above.count ? FileStat(kind: .directory) : stat
        guard let name = FileName(names[depth]) else { return nil }
        if try rules?.isIgnored(Array(names.prefix(depth)), name, entry) == true {
          return .ignored
        }
      }
      return .unseen
    } catch {
      // The entry vanished or is unreadable: the reason is unknown.
      return nil
    }
  }
}
