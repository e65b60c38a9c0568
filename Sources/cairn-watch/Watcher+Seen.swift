// SPDX-License-Identifier: GPL-2.0-only

/// Directories that the caller has seen. Not every one is told of by an event: a rename or mkdir
/// may be done and be answered by an error, and then the kernel says nothing.
extension Watcher {
  /// The caller has seen the directory with that inode: it is watched from here on, with all below,
  /// if it is there and wasn't. Where the table has it, that costs no call.
  func see(_ inode: UInt64, at path: [UInt8], in root: Int) throws {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard missing(names, inode, in: root) != nil else { return }
    // An event that is still in the queue may tell of it.
    try drain()
    while let (parent, depth) = missing(names, inode, in: root) {
      let name = names[depth]
      guard !trial.isRefused(name, in: parent) else { break }
      let before = tree.child(of: parent, named: name)
      try settle(name, in: parent)
      // What isn't there, or is another one meanwhile, the caller will see to, or an event.
      guard let now = tree.child(of: parent, named: name), now != before else { break }
    }
    try finish()
  }

  /// The first name of a path that doesn't lead to a directory of the table, or, if it is the last,
  /// leads to one with another inode, by its place among the names; nil if all is in the table, or
  /// nothing below the root is to be.
  private func missing(
    _ names: [[UInt8]], _ inode: UInt64, in root: Int
  ) -> (parent: Int32, depth: Int)? {
    guard !names.isEmpty, roots[root]?.isFlat == false, var watch = tree.watch(ofRoot: root) else {
      return nil
    }
    for (depth, name) in names.enumerated() {
      guard let child = tree.child(of: watch, named: name),
        depth + 1 < names.count || tree.identity(child)?.inode == inode
      else { return (watch, depth) }
      watch = child
    }
    return nil
  }
}
