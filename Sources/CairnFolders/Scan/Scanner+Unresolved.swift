import CairnPlan
import CairnZone

extension Scanner {
  /// A hint about entries in directories that were unknown, replaced or moved. A list of a new
  /// directory includes them; a moved directory isn't listed.
  struct Unresolved: Hashable {
    /// The whole path of the hint.
    var path: [FileNameBytes]
    /// The directory to which the first names are known to lead.
    var known: RecordID
    /// The names after those.
    var rest: [FileNameBytes]
    /// A Boolean value that indicates whether everything in it is scanned.
    var isList: Bool

    /// Creates the rest of a hint after the look to which its path led.
    init(_ path: [UInt8], _ look: Look, isList: Bool = false) {
      self.path = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
      self.isList = isList
      switch look {
      case .entry(let parent, let above, _):
        (known, rest) = (parent, Array(self.path.dropFirst(above.count)))
      case .list(let id, let path): (known, rest) = (id, Array(self.path.dropFirst(path.count)))
      }
    }

    /// Creates the hint of a look that found nothing at its path.
    init(_ look: Look) {
      switch look {
      case .entry(_, let path, let name): self.init(joined(path + [name.bytes]), look)
      case .list(_, let path): self.init(joined(path), look, isList: true)
      }
    }
  }

  /// Returns looks at the new paths of moved directories, which no list includes.
  func looksAgain(_ lost: inout [Look], _ moved: [[FileNameBytes]]) throws -> [Look] {
    defer { lost = [] }
    unresolved.formUnion(lost.map { Unresolved($0) })
    guard !lost.isEmpty || !(moved.isEmpty || unresolved.isEmpty) else { return [] }
    var (paths, lists): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
    let found = try index.read(mount) { tree in
      for hint in unresolved where !moved.isEmpty {
        // The path may have led through a directory that has moved since.
        let followed = try tree.path(of: hint.known).map { $0 + hint.rest }
        for path in [hint.path, followed].compactMap({ $0 })
        where moved.contains(where: { path.starts(with: $0) }) {
          if hint.isList { lists.insert(joined(path)) } else { paths.insert(joined(path)) }
        }
      }
      return try lost.compactMap { look -> Look? in
        switch look {
        case .entry(let parent, let old, let name):
          guard let path = try tree.path(of: parent), path != old else { return nil }
          return .entry(parent: parent, path: path, name: name)
        case .list(let id, let old):
          guard let path = try tree.path(of: id), path != old else { return nil }
          return .list(id, path: path)
        }
      }
    }
    return try found + looks(at: paths.map { FolderHint($0) })
      + lists.flatMap { try self.lists(at: $0) }
  }
}
