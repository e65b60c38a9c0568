import CairnControl
import CairnZone
import Glibc
import Synchronization

/// The files from drop boxes that were put into folders since the start of the daemon, and are
/// still in the container, because the container didn't let them be deleted. One request at a time
/// accepts files, so that two never put the same file.
final class AcceptedDrops: Sendable {
  /// The paths by the ids of the files.
  struct Memory {
    private var paths: [Bytes16: Control.Path] = [:]

    /// Returns the path of a file that is in a folder already; nil if it isn't.
    func path(of drop: Bytes16) -> Control.Path? {
      guard let path = paths[drop] else { return nil }
      var status = stat()
      // A person may have removed the file to accept it again.
      return path.bytes.withPath({ lstat($0, &status) }) == 0 ? path : nil
    }

    mutating func note(_ drop: Bytes16, at path: Control.Path) { paths[drop] = path }

    /// Forgets all files but these.
    mutating func keep(only drops: Set<Bytes16>) {
      paths = paths.filter { drops.contains($0.key) }
    }
  }

  private let memory = Mutex(Memory())

  /// Calls a function while no other request accepts files.
  func exclusively<Result: Sendable>(
    _ body: (inout sending Memory) throws -> sending Result
  ) throws -> Result {
    try memory.withLock(body)
  }
}
