import CairnFolders
import Foundation
import Synchronization

/// A file system that shows the changes by Cairn's own steps late, or never, as one with a cache of
/// names may do. Until then each changed directory shows its earlier entries, with their bytes.
final class StaleViews: Sendable {
  /// A directory as it was before the step.
  private struct View {
    var entries: [[UInt8]: FileStat] = [:]
    /// The number of listings that still show it.
    var left: Int
  }

  private let root: String
  /// The folder of second names of the shown files.
  private let stash: String
  /// The number of listings after which a change is shown.
  private let delay: Int
  private let views = Mutex<[[UInt8]: View]>([:])
  private let real = SystemDisk()

  /// Creates views for the folder below `root`, with second names of its files in `stash`.
  init(below root: String, stash: String, delay: Int) {
    (self.root, self.stash, self.delay) = (root, stash, delay)
  }

  private func path(of directory: Int32) -> [UInt8]? {
    var path: [UInt8] = []
    guard real.path(of: directory, &path) >= 0 else { return nil }
    let text = String(decoding: path, as: UTF8.self)
    return text.hasPrefix(root) && !text.contains("/.cairn") ? path : nil
  }

  private func stashed(_ path: [UInt8], _ name: [UInt8]) -> String {
    stash + "/" + (path + name).map { String($0, radix: 16) }.joined()
  }

  /// Keeps what a directory shows now, before a step changes it.
  func keep(_ directory: Int32) {
    guard let path = path(of: directory) else { return }
    views.withLock { views in
      guard views[path] == nil else { return }
      var names: [[UInt8]] = []
      guard real.list(directory, &names) >= 0 else { return }
      var view = View(left: delay)
      for name in names {
        var found = FileStat()
        guard real.status(of: name, in: directory, &found) >= 0 else { continue }
        if found.kind == .file {
          let other = stashed(path, name)
          unlink(other)
          link(String(decoding: path + [0x2f] + name, as: UTF8.self), other)
          _ = real.status(of: name, in: directory, &found)
        }
        view.entries[name] = found
      }
      views[path] = view
    }
  }

  /// Returns the names that a directory still shows; nil if it shows its real entries.
  func list(_ directory: Int32) -> [[UInt8]]? {
    guard let path = path(of: directory) else { return nil }
    return views.withLock { views in
      guard let view = views[path] else { return nil }
      guard view.left > 0 else {
        views[path] = nil
        return nil
      }
      if view.left < .max { views[path]?.left -= 1 }
      return Array(view.entries.keys)
    }
  }

  /// Returns the state that a directory still shows of an entry; nil if it shows the real one.
  func status(of name: [UInt8], in directory: Int32) -> FileStat?? {
    guard let path = path(of: directory) else { return nil }
    return views.withLock { views in views[path].map { $0.entries[name] } }
  }

  /// Returns the second name of a file that a directory still shows.
  func file(_ relative: [UInt8], beneath directory: Int32) -> String? {
    guard var path = path(of: directory) else { return nil }
    var names = relative.split(separator: 0x2f).map { Array($0) }
    guard let name = names.popLast() else { return nil }
    for part in names { path += [0x2f] + part }
    let isShown = views.withLock { $0[path]?.entries[name]?.kind == .file }
    return isShown ? stashed(path, name) : nil
  }

  /// Shows everything as it is.
  func catchUp() { views.withLock { $0 = [:] } }
}
