/// The folders of a container whose names this process made durable, so that it syncs the folder
/// above each of them once. It must not know the disk.
struct DurableFolders {
  private var paths: Set<String> = []
  /// The number of names that were made durable so far. Tests compare it with limits.
  private(set) var made = 0

  /// A bound, not a policy: a forgotten folder only costs a needless sync.
  private static let limit = 4_096

  /// Returns whether the name of a folder, and those of all folders above it, are durable.
  func contains(_ path: String) -> Bool { paths.contains(path) }

  /// Notes a folder whose name was made durable just now, after those above it.
  mutating func note(_ path: String) {
    made += 1
    if paths.count >= Self.limit { paths.removeAll() }
    paths.insert(path)
  }

  /// Forgets all folders, because another process removed one. It may have removed those above it,
  /// too, and somebody else may have created them again.
  mutating func forgetAll() { paths.removeAll() }
}
