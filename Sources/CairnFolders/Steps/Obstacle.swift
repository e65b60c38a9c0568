import CairnIdentity
import CairnPlan
import CairnZone

/// An unmirrored entry at the place of a step, or in a directory that a step is about to remove. No
/// scan notices when it is gone.
struct Obstacle {
  /// The path.
  let path: [UInt8]
  /// The description, as the beginning of a sentence.
  let what: String

  /// The reason that a record waits.
  var reason: String {
    "\(what) stands at \(String(decoding: path, as: UTF8.self)), in the way of a change of others"
  }

  /// The reported problem.
  var problem: PathProblem {
    PathProblem(
      path: path, code: .constraintViolation, message: reason,
      remedy: "move it away or rename it; what waits comes by itself then")
  }

  /// Returns the first obstacle at these paths; nil if there is none.
  static func find(at paths: [[FileNameBytes]], in state: MountState) throws -> Obstacle? {
    guard let root = state.root, let identity = state.identity else { return nil }
    for path in paths.prefix(20) {
      guard let name = path.last, !path.starts(with: Staging.parkedPath) else { continue }
      do {
        let directory = try root.openDirectory(Array(path.dropLast()))
        guard let stat = try FileStat.at(directory, name),
          let what = try kind(of: stat, at: path, beside: identity, in: state)
        else { continue }
        return Obstacle(path: joined(path), what: what)
      } catch let error as FolderError {
        // The scan of the directory reports the problem.
        guard error.code == .notFound || error.code == .denied else { throw error }
      }
    }
    return nil
  }

  private static func kind(
    of stat: FileStat, at path: [FileNameBytes], beside identity: FileStat, in state: MountState
  ) throws -> String? {
    if stat.kind == .other { return "a socket, FIFO or device" }
    guard stat.isBeside(identity) else { return "another file system" }
    return try state.read { tree in
      // Entries in the index are planned for.
      guard try tree.record(at: path) == nil else { return nil }
      let parent = try tree.record(at: Array(path.dropLast()))
      let other = try tree.nodes(inode: stat.inode).first { row in
        row.isSameInode(as: stat) && row.local?.node.place.parent == parent
      }
      guard let name = other?.local?.node.place.name else { return "something that isn't mirrored" }
      return "\(String(decoding: name.bytes, as: UTF8.self)), whose name is the same on this disk,"
    }
  }
}
