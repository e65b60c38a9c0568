import CairnPlan
import CairnZone

/// The `.cairnignore` files of a mount, read when they are needed and again when they changed.
final class IgnoreTree {
  private let root: Descriptor
  private let matcher = IgnoreMatcher()
  private var rules: [[FileNameBytes]: IgnoreRules?] = [:]
  /// The directory that was asked about last, and the rules on the way to it, the root's first.
  private var last: (path: [FileNameBytes], levels: [IgnoreRules?]) = ([], [])
  /// The rules of this device's own, which come first.
  var local: LocalRules?

  init(root: Descriptor) { self.root = root }

  /// Returns whether the rules keep an entry of a mirrored directory out of the zone.
  /// - Throws: An error if rules cannot be read: their effect is unknown then.
  func isIgnored(
    _ path: [FileNameBytes], _ name: FileName, _ stat: FileStat
  ) throws(FolderError) -> Bool {
    if hides(path, name, stat) { return true }
    guard let (names, levels) = try entry(path, name) else { return false }
    return matcher.ignoresEntry(
      names, isDirectory: stat.kind == .directory, isEmpty: stat.isEmptyFile, rules: levels)
  }

  /// Returns whether a rule of this device's own hides an entry.
  func hides(_ path: [FileNameBytes], _ name: FileName, _ stat: FileStat) -> Bool {
    local?.pattern(hiding: path + [name.bytes], isDirectory: stat.kind == .directory) != nil
  }

  /// Reads this device's own rules; nil if there are none.
  /// - Throws: An error if they can't be read: what they hide is unknown then.
  static func readLocal(_ root: Descriptor) throws(FolderError) -> LocalRules? {
    guard let bytes = try read(root, [LocalRules.fileName]) else { return nil }
    guard let rules = LocalRules(bytes) else { return nil }
    guard rules.cost <= IgnoreRules.mostCost else {
      throw FolderError(
        .failed, LocalRules.fileName,
        "the rules in .cairnignore.local are too many: use fewer patterns, or fewer `*` in them")
    }
    return rules
  }

  /// Returns the pattern that keeps an entry out of the zone, and the depth of the directory of its
  /// `.cairnignore` (nil for a built-in pattern); nil if no pattern does.
  private func pattern(
    ignoring name: FileNameBytes, in path: [FileNameBytes], _ stat: FileStat
  ) throws(FolderError) -> (line: [UInt8], depth: Int?)? {
    guard let name = FileName(name), let (names, levels) = try entry(path, name) else { return nil }
    return matcher.pattern(
      ignoringEntry: names, isDirectory: stat.kind == .directory, isEmpty: stat.isEmptyFile,
      rules: levels)
  }

  /// Returns the rule that keeps an entry out of the zone; nil if no rule does, and for Cairn's own
  /// folder.
  func rule(
    ignoring name: FileName, in path: [FileNameBytes], _ stat: FileStat
  ) throws(FolderError) -> IgnoringRule? {
    let full = path + [name.bytes]
    if let line = local?.pattern(hiding: full, isDirectory: stat.kind == .directory) {
      return IgnoringRule(pattern: line, file: LocalRules.fileName)
    }
    guard let (line, depth) = try pattern(ignoring: name.bytes, in: path, stat) else { return nil }
    let file = depth.map { joined(path.prefix($0) + [Array(IgnoreMatcher.fileName.utf8)]) }
    return IgnoringRule(pattern: line, file: file)
  }

  /// Returns the names from the root to an entry, and the rules on the way; nil for an invalid
  /// name.
  private func entry(
    _ path: [FileNameBytes], _ name: FileName
  ) throws(FolderError) -> (names: [FileName], rules: [IgnoreRules?])? {
    let names = path.compactMap { FileName($0) }
    guard names.count == path.count else { return nil }
    if last.path == path, !last.levels.isEmpty { return (names + [name], last.levels) }
    // Most directories are in the last one, or beside it.
    let common = zip(path, last.path).prefix { $0 == $1 }.count
    var levels = Array(last.levels.prefix(common + 1))
    var cost = levels.reduce(0) { $0 + ($1?.cost ?? 0) }
    for depth in levels.count..<(path.count + 1) {
      let rules = try rules(in: Array(path.prefix(depth)))
      cost += rules?.cost ?? 0
      // Another person may have written the rules, and each new name is compared with them.
      guard cost <= IgnoreRules.mostCost else { throw tooCostly(Array(path.prefix(depth))) }
      levels.append(rules)
    }
    last = (path, levels)
    return (names + [name], levels)
  }

  /// Forgets the rules of directories whose `.cairnignore` may have changed.
  func forget(_ changed: [[UInt8]]) {
    let name = Array(IgnoreMatcher.fileName.utf8)
    for path in changed where path.reversed().starts(with: name.reversed()) {
      forgetAll()
      return
    }
  }

  /// Forgets all rules, because directories may have moved.
  func forgetAll() { (rules, last) = ([:], ([], [])) }

  private func rules(in path: [FileNameBytes]) throws(FolderError) -> IgnoreRules? {
    if let known = rules[path] { return known }
    let read = try load(path)
    // Bounded: rules are cheap to read again, and there may be many directories.
    if rules.count > 4_096 { rules = [:] }
    rules[path] = .some(read)
    return read
  }

  private func tooCostly(_ path: [FileNameBytes]) -> FolderError {
    let file = joined(path + [Array(IgnoreMatcher.fileName.utf8)])
    return FolderError(
      .failed, file,
      "the rules in \(String(decoding: file, as: UTF8.self)), with those of the folders around it, "
        + "are too many to be asked about each name: use fewer patterns, or fewer `*` in them")
  }

  private func load(_ path: [FileNameBytes]) throws(FolderError) -> IgnoreRules? {
    try Self.read(root, path + [Array(IgnoreMatcher.fileName.utf8)]).map {
      IgnoreRules(parsing: $0[...])
    }
  }

  /// Returns the bytes of a file with rules; nil if there is none, or it is empty.
  private static func read(
    _ root: Descriptor, _ names: [FileNameBytes]
  ) throws(FolderError) -> [UInt8]? {
    do throws(FolderError) {
      let file = try root.openFile(names)
      guard try FileStat.of(file).kind == .file else { return nil }
      let bytes = try file.readAll(upTo: IgnoreRules.mostBytes + 1, as: "read the rules")
      guard bytes.count <= IgnoreRules.mostBytes else {
        throw FolderError(.failed, [], "they have more than \(IgnoreRules.mostBytes) bytes")
      }
      return bytes.isEmpty ? nil : bytes
    } catch {
      // A missing file is the usual case.
      guard error.code != .notFound else { return nil }
      let file = joined(names)
      throw FolderError(
        error.code, file,
        "the rules in \(String(decoding: file, as: UTF8.self)) can't be read: \(error.reason)")
    }
  }
}
