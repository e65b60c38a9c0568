import CairnPlan
import CairnZone

/// Something that isn't mirrored and stands where a step wants to put something, or in a directory
/// that it wants to take away. No look at the folder finds it out of the way.
struct Obstacle {
  /// Where it stands.
  let path: [UInt8]
  /// What it is, as the beginning of a sentence.
  let what: String

  /// Why something waits.
  var reason: String {
    "\(what) stands at \(String(decoding: path, as: UTF8.self)), in the way of a change of others"
  }

  /// What people are told.
  var problem: Problem {
    Problem(
      path: path, code: "constraintViolation", message: reason,
      remedy: "move it away or rename it; what waits comes by itself then")
  }

  /// The first obstacle at these paths; nil if none of them has one.
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
        // Whoever looks at the directory says what is wrong with it.
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
      // What the index knows is planned for.
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
