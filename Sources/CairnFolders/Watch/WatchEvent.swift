// SPDX-License-Identifier: Apache-2.0

/// A possible change below a watched root; always a hint.
///
/// Paths are bytes, relative to the root; the empty path is the root itself.
public enum WatchEvent: Sendable, Equatable {
  /// All directories below the root are watched now; `directories` includes the root.
  case ready(root: Int, directories: Int)
  /// The entry was created, deleted, moved here or away, or its attributes changed.
  case changed(root: Int, hint: FolderHint)
  /// A writer closed the file.
  case written(root: Int, hint: FolderHint)
  /// The file is being modified.
  case writing(root: Int, hint: FolderHint)
  /// A directory appeared and is watched with its subtree: list it, with all levels.
  case tree(root: Int, hint: FolderHint)
  /// Events were lost in every root: rescan everything.
  case overflow
  /// The directory and its subtree cannot be watched; it must be scanned periodically.
  case limit(root: Int, path: [UInt8])
  /// The root was deleted, moved or unmounted; no more events about it follow.
  case lost(root: Int)
  /// The root is no longer watched, as requested; no more events about it follow.
  case unwatched(root: Int)
  /// All events from before the sync were reported.
  case synced(token: Int)
  /// The root cannot be watched, with a sentence for people.
  case failed(root: Int, message: String)
  /// The program died: nothing is watched until `restarted`. The message is a sentence for people
  /// if the program died before it could watch anything; until it can, a sync is answered at once.
  case stopped(message: String?)
  /// The program was started again: rescan everything; a `ready` for each root follows.
  case restarted
}
