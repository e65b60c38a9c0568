// SPDX-License-Identifier: GPL-2.0-only
import Glibc

/// Directories that the caller has seen. Some cause no event: a rename or mkdir may succeed but
/// return an error, and then the kernel reports nothing.
extension Watcher {
  /// Notes that the caller has seen the directory with that inode, which is 0 if it is unknown. If
  /// it exists and is not watched, it is watched now with its subtree. For a directory in the
  /// table, this costs no system call.
  func see(_ inode: UInt64, at path: [UInt8], in root: Int) throws {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard !names.isEmpty else { return try seeRoot(inode, root) }
    guard missing(names, inode, in: root) != nil else { return }
    // An event in the queue may report it.
    try drain()
    while let (parent, depth) = missing(names, inode, in: root) {
      let name = names[depth]
      guard !trial.isRefused(name, in: parent) else { break }
      let before = tree.child(of: parent, named: name)
      try settle(name, in: parent)
      // A missing or different directory will be handled by the caller, or by an event.
      guard let now = tree.child(of: parent, named: name), now != before else { break }
    }
    try finish()
  }

  /// Notes that the caller has seen its root with that inode. If another folder is at the path now,
  /// the root is lost: a file system that is mounted over it causes no event.
  private func seeRoot(_ inode: UInt64, _ root: Int) throws {
    func isOther() -> Bool {
      guard inode != 0, let watch = tree.watch(ofRoot: root) else { return false }
      return tree.identity(watch)?.inode != inode
    }
    guard isOther() else { return }
    try drain()
    guard isOther(), let watch = tree.watch(ofRoot: root) else { return }
    let descriptor = open(watch)
    if descriptor >= 0 { close(descriptor) }
    try finish()
  }

  /// The index of the first name of a path that does not lead to a directory of the table, or, for
  /// the last name, leads to one with another inode. Nil if everything is in the table, or if
  /// nothing below the root is watched.
  private func missing(
    _ names: [[UInt8]], _ inode: UInt64, in root: Int
  ) -> (parent: Int32, depth: Int)? {
    guard !names.isEmpty, roots[root]?.isFlat == false, var watch = tree.watch(ofRoot: root) else {
      return nil
    }
    for (depth, name) in names.enumerated() {
      guard let child = tree.child(of: watch, named: name),
        depth + 1 < names.count || inode == 0 || tree.identity(child)?.inode == inode
      else { return (watch, depth) }
      watch = child
    }
    return nil
  }
}
