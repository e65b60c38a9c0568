import CairnPlan
import CairnZone

/// Why names of a folder aren't known to the index that stand there, for who asks beside the
/// mount's owner: it looks at the disk, and at the rules, and at nothing else.
public final class UnmirroredNames {
  /// Why a name isn't known.
  public enum Reason: Hashable, Sendable {
    /// A pattern keeps it out, or it is Cairn's own.
    case ignored
    /// It wasn't looked at yet.
    case unseen
  }

  private let folder: [UInt8]
  /// Nil before it is needed, and where the folder can't be opened.
  private lazy var root = try? Descriptor.openRoot(folder, on: SystemDisk())
  private lazy var rules = root.map { IgnoreTree(root: $0) }

  /// Opens nothing yet.
  public init(of folder: [UInt8]) { self.folder = folder }

  /// Why what stands at a path isn't known; nil if nothing does, or nothing that can be mirrored.
  public func reason(_ path: [UInt8]) -> Reason? {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let root, let last = names.last else { return nil }
    do throws(FolderError) {
      let above = Array(names.dropLast())
      guard let stat = try FileStat.at(root.openDirectory(above), last), stat.kind != .other,
        stat.device == (try FileStat.of(root).device)
      else { return nil }
      if names.contains(Staging.folder) { return .ignored }
      for depth in names.indices {
        let entry = depth < above.count ? FileStat(kind: .directory) : stat
        let rule = try rules?.pattern(
          ignoring: names[depth], in: Array(names.prefix(depth)), entry)
        if rule != nil { return .ignored }
      }
      return .unseen
    } catch {
      // It vanished, or isn't to be read: then nobody knows.
      return nil
    }
  }
}
