import CairnFolders
import CairnStore
import CairnZone

/// How a call of the engine's is named in a script: what it does, and to what, by paths from the
/// mirrored folder on. What nobody could write down beforehand (names made of ids, dates) is a `*`.
enum Call {
  /// What a call to the disk is about.
  enum Subject {
    case nothing
    /// From the disk's top on.
    case path(Inode.Name)
    case file(Int32)
    case name(Inode.Name, in: Int32)
    case names(Inode.Name, in: Int32, Inode.Name, of: Int32)
  }

  /// All that a daemon asks of its disk.
  static let ofDisk: Set<String> = [
    "open", "create", "look", "fstat", "stat", "list", "readlink", "path", "statfs", "read",
    "write", "fsync", "syncfs", "lease", "mkdir", "symlink", "link", "rename", "swap", "unlink",
    "rmdir", "chmod", "utimens",
  ]

  /// Those that change something there.
  static let changing: Set<String> = [
    "create", "write", "fsync", "syncfs", "mkdir", "symlink", "link", "rename", "swap", "unlink",
    "rmdir", "chmod", "utimens",
  ]

  /// All that a daemon asks of the container.
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

  /// Where a name of a directory is.
  static func path(_ name: Inode.Name, in directory: Inode, on disk: SimulatedDisk) -> String {
    let dot = [UInt8(ascii: ".")]
    let inner = name.isEmpty || name == dot ? [] : name.split(separator: UInt8(ascii: "/"))
    return path(of: directory, on: disk, then: inner.map { Array($0) })
  }

  /// Where something stands; by the first of its names, if it has several.
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

  /// A path below the folder as a script has it.
  static func text(_ names: [Inode.Name]) -> String {
    if names.isEmpty { return "." }
    var names = names
    // Below Cairn's own folders, names are made of ids.
    if names[0] == SimulatedDisk.ownFolder, names.count > 2 {
      names = Array(names[..<2]) + [[UInt8(ascii: "*")]]
    }
    return quoted(names.map(plain).joined(separator: "/"))
  }

  /// A name without what a conflict copy's says besides whose it is.
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
  /// What an object of the container is, by its key, or what a list is of, by its prefix.
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

/// What a daemon asks for in one step of a script, call by call, and what is to happen there.
final class CallWatch<Happening> {
  /// Whether anybody wants to know.
  var isOn = false
  /// All calls since the step began.
  private(set) var calls: [String] = []
  private var counts: [String: Int] = [:]
  private var armed: [(moment: Fault.Moment, what: () -> Happening)] = []
  /// Told of each call.
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

  /// What happens at the call that was entered last, if something does.
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

  /// The moment of the call that was entered last.
  var now: Fault.Moment? {
    calls.last.map { Fault.Moment(call: $0, count: counts[$0] ?? 1) }
  }

  /// The moment as that after the call before, where that changed something.
  var after: Fault.Moment? {
    guard let last = calls.last, let before = calls.dropLast().last else { return nil }
    let kind = before.prefix { $0 != " " }
    guard Call.changing.contains(String(kind)) else { return nil }
    let count = (counts[before] ?? 1) - (before == last ? 1 : 0)
    return Fault.Moment(call: before, count: count, isAfter: true)
  }
}

extension Call {
  /// Whether a call is one to the container.
  static func isOfStore(_ call: String) -> Bool {
    ofStore.contains(String(call.prefix { $0 != " " }))
  }
}
