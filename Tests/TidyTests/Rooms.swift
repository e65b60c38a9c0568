/// The order of the folders inside a target: a file uses types of its own folder and of those
/// before it. It must not know the order of targets.
enum Rooms {
  /// The folders of each target in this table, the lowest first. A new folder must be entered here.
  static let order: [String: [String]] = [
    "CairnIdentity": ["Values", "Crypto", "Format", "Keys", "Places", "People", "Messages"],
    "CairnReplica": ["Log", "Content", "Index", "Snapshot", "Zone"],
    "CairnContainer": ["Wake", "Presence", "Container", "Past"],
    "CairnFolders": [
      "Disk", "Watch", "Index", "Scope", "Scan", "Apply", "Transfer", "State", "Aside", "Journal",
      "Nested", "Steps", "Root", "Mount",
    ],
    "CairnDaemon": [
      "Core", "Server", "Wake", "Desktop", "Upgrade", "Mounts", "Targets", "Account", "Public",
      "Past", "Console", "Programs", "Operations", "Setup", "Program",
    ],
  ]

  /// The places where a source names a type of a folder above its own. Names of nested types and
  /// of members don't count: they are found only by their type.
  static func violations(in sources: [SwiftSource]) -> [Violation] {
    order.keys.sorted().flatMap { target in
      violations(in: sources.filter { $0.target == target && !$0.isTest }, order[target] ?? [])
    }
  }

  private static func violations(in sources: [SwiftSource], _ rooms: [String]) -> [Violation] {
    let floors = Dictionary(uniqueKeysWithValues: zip(rooms, rooms.indices))
    var homes: [String: Set<String>] = [:]
    for source in sources {
      for name in source.topLevelTypes { homes[name, default: []].insert(source.room) }
    }
    return sources.flatMap { source -> [Violation] in
      guard let floor = floors[source.room] else {
        return [Violation(source.path, 1, "`\(source.room)` has no place: enter it in \(#fileID)")]
      }
      return source.namedTypes(of: homes).compactMap { name in
        guard let home = homes[name.text]?.first, let other = floors[home], other > floor else {
          return nil
        }
        return Violation(
          source.path, name.line, "`\(source.room)` is below `\(home)`, which has `\(name.text)`")
      }
    }
  }
}

extension SwiftSource {
  /// The folder inside the target; empty for a file directly in the target.
  var room: String {
    let parts = path.split(separator: "/")
    return parts.count > 3 ? String(parts[2]) : ""
  }

  /// The types that the file declares, without those inside other types.
  fileprivate var topLevelTypes: Set<String> {
    var found: Set<String> = []
    var depth = 0
    for (index, token) in tokens.enumerated() {
      switch token.text {
      case "{": depth += 1
      case "}": depth -= 1
      case "struct", "class", "enum", "actor", "protocol", "typealias":
        guard depth == 0, index + 1 < tokens.count,
          tokens[index + 1].text.first?.isUppercase == true
        else { continue }
        found.insert(tokens[index + 1].text)
      default: break
      }
    }
    return found
  }

  /// The first place of each type with one home that the file names and doesn't declare.
  fileprivate func namedTypes(of homes: [String: Set<String>]) -> [Token] {
    let own = Set(typeNames.map(\.text))
    var seen: Set<String> = []
    return tokens.enumerated().compactMap { index, token in
      guard homes[token.text]?.count == 1, !own.contains(token.text),
        index == 0 || tokens[index - 1].text != ".", seen.insert(token.text).inserted
      else { return nil }
      return token
    }
  }
}
