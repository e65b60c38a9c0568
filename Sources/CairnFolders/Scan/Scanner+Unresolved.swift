import CairnPlan
import CairnZone

extension Scanner {
  /// A hint about what is in directories that weren't known yet, stand where another one stood, or
  /// have moved on: a list of a new directory covers it, but one that moved isn't listed.
  struct Unresolved: Hashable {
    /// The whole path, as the hint had it.
    var path: [FileNameBytes]
    /// The directory that the first names were known to lead to.
    var known: RecordID
    /// The names after those.
    var rest: [FileNameBytes]
    /// Whether all in it is to be looked at.
    var isList: Bool

    /// What is left of a hint after the look that its path led to.
    init(_ path: [UInt8], _ look: Look, isList: Bool = false) {
      self.path = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
      self.isList = isList
      switch look {
      case .entry(let parent, let above, _):
        (known, rest) = (parent, Array(self.path.dropFirst(above.count)))
      case .list(let id, let path): (known, rest) = (id, Array(self.path.dropFirst(path.count)))
      }
    }

    /// What a look was after that found nothing where it led.
    init(_ look: Look) {
      switch look {
      case .entry(_, let path, let name): self.init(joined(path + [name.bytes]), look)
      case .list(_, let path): self.init(joined(path), look, isList: true)
      }
    }
  }

  /// What is to be looked at where directories moved to: nobody listed them under the new path.
  func looksAgain(_ lost: inout [Look], _ moved: [[FileNameBytes]]) throws -> [Look] {
    defer { lost = [] }
    unresolved.formUnion(lost.map { Unresolved($0) })
    var (paths, lists): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
    let found = try index.read(mount) { tree in
      for hint in unresolved where !moved.isEmpty {
        // The path may have led through a directory that stands elsewhere now.
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
