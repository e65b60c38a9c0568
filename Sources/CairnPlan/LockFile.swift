public import CairnZone

/// The name of a lock file, which an office program keeps beside a file while a person has it
/// open: `.~lock.NAME#` by LibreOffice, `~$NAME` by Microsoft Office. Cairn never mirrors such a
/// file, and tells other devices about it instead. A lock file's content is not read.
public struct LockFile: Hashable, Sendable {
  /// The rules of `IgnoreMatcher` for lock files.
  static let rules = IgnoreRules(
    parsing: Rule.allCases.map(\.rawValue).joined(separator: "\n").utf8)

  /// The pattern of a program's lock files.
  private enum Rule: String, CaseIterable {
    case libreOffice = ".~lock.*#"
    case office = "~$*"
  }

  /// The patterns of the rules for lock files, as people write them.
  public static let patterns: [[UInt8]] = Rule.allCases.map { Array($0.rawValue.utf8) }

  /// The name of the open file, if the lock file has all of it.
  public let name: FileName
  /// A Boolean value that indicates whether the program may have replaced the first characters of
  /// the name: Word replaces two of a name with eight or more, and one of a name with seven.
  private let mayBeShortened: Bool

  /// Reads the name of a file; nil if it is no lock file's.
  public init?(_ file: FileName) {
    let (lock, office) = (Array(".~lock.".utf8), Array("~$".utf8))
    if file.bytes.starts(with: lock), file.bytes.last == UInt8(ascii: "#"),
      let name = FileName(file.bytes.dropFirst(lock.count).dropLast())
    {
      (self.name, mayBeShortened) = (name, false)
    } else if file.bytes.starts(with: office), let name = FileName(file.bytes.dropFirst(2)) {
      (self.name, mayBeShortened) = (name, true)
    } else {
      return nil
    }
  }

  /// Returns the open file among the names of the lock file's directory; nil if none fits, or if
  /// several do.
  public func file(among names: some Sequence<FileName>) -> FileName? {
    var found: [FileName] = []
    for other in names {
      if other == name { return name }
      if mayBeShortened, isShortened(from: other) { found.append(other) }
    }
    return found.count == 1 ? found.first : nil
  }

  /// Returns whether Word shortens another name to this one.
  private func isShortened(from other: FileName) -> Bool {
    let cut = other.bytes.count - name.bytes.count
    guard (1...8).contains(cut), other.bytes.suffix(name.bytes.count) == name.bytes[...] else {
      return false
    }
    let base = other.bytes[..<(other.bytes.lastIndex(of: UInt8(ascii: ".")) ?? other.bytes.count)]
    func characters(_ bytes: some Sequence<UInt8>) -> Int {
      bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
    let (all, gone) = (characters(base), characters(other.bytes.prefix(cut)))
    return gone == 2 && all >= 8 || gone == 1 && all == 7
  }
}
