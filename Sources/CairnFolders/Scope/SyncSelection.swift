public import CairnZone

/// The part of a folder that this device has: selective sync. Marks are on records, not on paths,
/// so that the selection follows renames and moves. A record without a mark is like the directory
/// that it is in; the mount's root has everything unless it is marked. Every device has its own
/// selection.
public struct SyncSelection: Hashable, Sendable {
  /// The mark of a record.
  public enum Mark: String, Hashable, Sendable {
    /// It is here, with everything below it that has no other mark.
    case all
    /// It isn't here, and nothing below it that has no other mark.
    case none
    /// It is here, but nothing below it that has no other mark: a directory that a person made
    /// where another one isn't selected.
    case itself
  }

  /// The marks. `RecordID.root` is the mount's root.
  public private(set) var marks: [RecordID: Mark] = [:]
  /// The rules of `.cairnignore.local`: they hide entries by their paths, whatever the marks say.
  var hidden: LocalRules?

  /// Creates a selection of everything.
  public init() {}

  /// A Boolean value that indicates whether everything is selected.
  public var isEverything: Bool { marks.isEmpty && hidden == nil }

  /// The mark of a record, if it has one; sets or removes it.
  public subscript(id: RecordID) -> Mark? {
    get { marks[id] }
    set { marks[id] = newValue }
  }

  /// The records whose marks differ from those of another selection.
  func differences(from other: Self) -> Set<RecordID> {
    Set(marks.keys).union(other.marks.keys).filter { marks[$0] != other.marks[$0] }
  }
}

// MARK: Text

extension SyncSelection {
  private static let head = "cairn selection 1"
  private static let hiddenWord = "hidden"

  /// The form in the folder's own file: a line for each mark.
  var text: [UInt8] {
    let lines = marks.map { "\($0.value.rawValue) \(hexadecimal($0.key.bytes))" }.sorted()
    return Array(([Self.head] + lines).joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
  }

  /// The form in the index, with the rules.
  var textWithRules: [UInt8] {
    guard let hidden else { return text }
    return text + Array("\(Self.hiddenWord) \(hexadecimal(hidden.text))\n".utf8)
  }

  /// Reads one of these forms; nil if it is damaged.
  init?(text: [UInt8]) {
    let lines = text.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard lines.first == Self.head else { return nil }
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == Self.hiddenWord {
        guard let rules = Self.bytes(words[1]).flatMap({ LocalRules($0) }) else { return nil }
        hidden = rules
        continue
      }
      guard words.count == 2, let mark = Mark(rawValue: String(words[0])),
        let id = RecordID(hexadecimal: String(words[1]))
      else { return nil }
      marks[id] = mark
    }
  }

  private static func bytes(_ digits: Substring) -> [UInt8]? {
    let digits = Array(digits.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    return bytes.count * 2 == digits.count ? bytes : nil
  }
}
