import CairnFolders
import CairnStore
import CairnZone

/// The name of an engine's call in a script: the action and its object, by paths below the mirrored
/// folder. Names that nobody can know before (ids, dates) are `*`.
enum Call {
  /// The object of a disk call.
  enum Subject {
    case nothing
    /// A path from the disk's root on.
    case path(Inode.Name)
    case file(Int32)
    case name(Inode.Name, in: Int32)
    case names(Inode.Name, in: Int32, Inode.Name, of: Int32)
  }

  /// All disk calls of a daemon.
  static let ofDisk: Set<String> = [
    "open", "create", "look", "fstat", "stat", "list", "readlink", "path", "statfs", "read",
    "write", "fsync", "syncfs", "lease", "mkdir", "symlink", "link", "rename", "swap", "unlink",
    "rmdir", "chmod", "utimens",
  ]

  /// The disk calls that change something.
  static let changing: Set<String> = [
    "create", "write", "fsync", "syncfs", "mkdir", "symlink", "link", "rename", "swap", "unlink",
    "rmdir", "chmod", "utimens",
  ]

  /// All container calls of a daemon.
  static let ofStore: Set<String> = ["put", "get", "get-part", "size", "find", "delete"]

  static func text(_ call: String, _ subject: Subject, on disk: SimulatedDisk) -> String {
    func place(_ name: Inode.Name, _ directory: Int32) -> String {
      guard let inode = disk.files[directory]?.inode else { return "(closed)" }
      return path(name, in: inode, on: disk)
    }
    switch subject {
    case .nothing: return call
    case .path(let path):
      let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
      return "\(call) \(Call.path(of: disk.top, on: disk, then: names))"
    case .file(let file):
      guard let inode = disk.files[file]?.inode else { return "\(call) (closed)" }
      return "\(call) \(path(of: inode, on: disk))"
    case .name(let name, let directory): return "\(call) \(place(name, directory))"
    case .names(let name, let directory, let other, let otherDirectory):
      let word = call == "swap" ? "and" : call == "link" ? "as" : "to"
      return "\(call) \(place(name, directory)) \(word) \(place(other, otherDirectory))"
    }
  }

  /// The path of a name in a directory.
  static func path(_ name: Inode.Name, in directory: Inode, on disk: SimulatedDisk) -> String {
    let dot = [UInt8(ascii: ".")]
    let inner = name.isEmpty || name == dot ? [] : name.split(separator: UInt8(ascii: "/"))
    return path(of: directory, on: disk, then: inner.map { Array($0) })
  }

  /// The path of an inode; the first one, if it has several names.
  static func path(of inode: Inode, on disk: SimulatedDisk) -> String {
    if inode.kind == .directory { return path(of: inode, on: disk, then: []) }
    var stack = [disk.top]
    while let directory = stack.popLast() {
      for name in directory.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        guard let entry = directory.entries[name] else { continue }
        if entry === inode { return path(of: directory, on: disk, then: [name]) }
        if entry.kind == .directory { stack.append(entry) }
      }
    }
    return "(removed)"
  }

  private static func path(
    of directory: Inode, on disk: SimulatedDisk, then names: [Inode.Name]
  ) -> String {
    if let inner = directory.path(below: disk.folder) { return text(inner + names) }
    guard let inner = directory.path(below: disk.top) else {
      return names.isEmpty ? "(removed)" : "(removed)/" + text(names)
    }
    return quoted("/" + Simulator.text(Array((inner + names).joined(separator: [0x2F]))))
  }

  /// The script's form of a path below the folder.
  static func text(_ names: [Inode.Name]) -> String {
    if names.isEmpty { return "." }
    var names = names
    // Below Cairn's own folders, names are made of ids.
    if names[0] == SimulatedDisk.ownFolder, names.count > 2 {
      names = Array(names[..<2]) + [[UInt8(ascii: "*")]]
    }
    return quoted(names.map(plain).joined(separator: "/"))
  }

  /// The name of a conflict copy with only its person.
  static func plain(_ name: Inode.Name) -> String {
    let text = Simulator.text(name)
    guard text.contains(" (conflict, ") else { return text }
    return text.replacing(/\ on desk, [0-9]+-[0-9]+-[0-9]+ [0-9.]{5}/) { _ in "*" }
  }

  static func quoted(_ text: String) -> String {
    text.contains { " ,;:\"".contains($0) } ? "\"\(text)\"" : text
  }
}

extension Call {
  /// The role of a container object, by its key, or of a list, by its prefix.
  static func role(_ key: String, zone: ZoneID) -> String {
    let names = key.split(separator: "/").map(String.init)
    guard names.count > 2, names[0] == "users" else { return names.first ?? "everything" }
    switch names[2] {
    case "log": return "identity"
    case "zones":
      guard names.count > 4 else { return "zones" }
      let isOfShare = names[3] == "\(zone)"
      switch names[4] {
      case "log": return isOfShare ? "entry" : "account-entry"
      case "copies": return "copy"
      case "links": return "link"
      default: return names[4]
      }
    case "packs": return "pack"
    case "inbox": return "message"
    default: return names[2]
    }
  }
}

/// The calls of a daemon in one step of a script, and the events at these calls.
final class CallWatch<Happening> {
  /// A Boolean value that indicates whether anybody listens.
  var isOn = false
  /// All calls since the step began.
  private(set) var calls: [String] = []
  private var counts: [String: Int] = [:]
  private var armed: [(moment: Fault.Moment, what: () -> Happening)] = []
  /// Called for each call.
  var onCall: ((String) -> Void)?

  func begin() {
    calls = []
    counts = [:]
    armed = []
  }

  func arm(_ moment: Fault.Moment, _ what: @escaping () -> Happening) {
    armed.append((moment, what))
  }

  func entered(_ call: String) {
    calls.append(call)
    counts[call, default: 0] += 1
    onCall?(call)
  }

  /// The event at the last entered call, if there is one.
  func due() -> Happening? {
    guard !armed.isEmpty, let last = calls.last else { return nil }
    let before = calls.dropLast().last
    let index = armed.firstIndex { moment, _ in
      guard moment.isAfter else { return moment.call == last && moment.count == counts[last] }
      guard moment.call == before, let before else { return false }
      return counts[before] == moment.count + (before == last ? 1 : 0)
    }
    return index.map { armed.remove(at: $0).what() }
  }

  /// The moment of the last entered call.
  var now: Fault.Moment? {
    calls.last.map { Fault.Moment(call: $0, count: counts[$0] ?? 1) }
  }

  /// The same moment, named as the one after the call before, if that changed something.
  var after: Fault.Moment? {
    guard let last = calls.last, let before = calls.dropLast().last else { return nil }
    let kind = before.prefix { $0 != " " }
    guard Call.changing.contains(String(kind)) else { return nil }
    let count = (counts[before] ?? 1) - (before == last ? 1 : 0)
    return Fault.Moment(call: before, count: count, isAfter: true)
  }
}

extension Call {
  /// Returns whether a call is one to the container.
  static func isOfStore(_ call: String) -> Bool {
    ofStore.contains(String(call.prefix { $0 != " " }))
  }
}
