import CairnControl
import FoundationEssentials
import Glibc

/// Changes of single keys in the text of a configuration file. Everything else stays, including
/// comments. It must not know which keys have a meaning.
struct ConfigurationEdit {
  /// A new value of a key.
  struct Change {
    let section: String
    let key: String
    /// Nil to remove the key.
    let value: ConfigurationText.Value?

    init(_ section: String, _ key: String, _ value: ConfigurationText.Value?) {
      self.section = section
      self.key = key
      self.value = value
    }
  }

  private var lines: [Substring]

  private init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Returns a text with changed keys.
  /// - Throws: `ControlError` if the text can't be read, or writes a changed key in a form that
  ///   isn't understood here.
  static func text(_ text: String, with changes: [Change], from path: String) throws -> String {
    var wanted = try ConfigurationReader.read(text)
    var edit = ConfigurationEdit(text)
    for change in changes {
      wanted.set(change)
      edit.set(change)
    }
    let result = edit.lines.joined(separator: "\n")
    // An unreadable result is as wrong as another one.
    guard let reached = try? ConfigurationReader.read(result), reached.isSame(as: wanted) else {
      throw ControlError(
        .invalidArguments, "\(path) is written in a form that can't be changed here.",
        remedy: "Change it in an editor, then run `cairn stop` and `cairn start`; see "
          + "cairn.conf(5).")
    }
    return result
  }

  /// Changes keys of a file, completely or not at all.
  static func write(_ changes: [Change], to path: String) throws {
    let result: String
    do {
      let before = try Data(contentsOf: URL(filePath: path))
      result = try text(String(decoding: before, as: UTF8.self), with: changes, from: path)
      try Data(result.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(
        .internalError, "\(path) can't be changed: \(error)",
        remedy: "Check the file and its folder.")
    }
    chmod(path, 0o600)
  }

  private mutating func set(_ change: Change) {
    let line = change.value.map { "\(change.key) = \($0.spelling)"[...] }
    let heading = lines.firstIndex { Self.heading($0) == change.section }
    guard let heading else {
      guard let line else { return }
      while lines.last?.isEmpty == true { lines.removeLast() }
      return lines += ["", "[\(change.section)]", line, ""]
    }
    let end = lines[(heading + 1)...].firstIndex { Self.heading($0) != nil } ?? lines.count
    let place = lines[(heading + 1)..<end].firstIndex { Self.key($0) == change.key }
    switch (place, line) {
    case (let place?, let line?): lines[place] = line
    case (let place?, nil): lines.remove(at: place)
    case (nil, let line?): lines.insert(line, at: heading + 1)
    case (nil, nil): break
    }
  }

  private static func heading(_ line: Substring) -> String? {
    let start = line.drop { $0 == " " || $0 == "\t" }
    guard start.first == "[", let end = start.firstIndex(of: "]") else { return nil }
    return start[start.index(after: start.startIndex)..<end].trimmed
  }

  private static func key(_ line: Substring) -> String? {
    line.firstIndex(of: "=").map { line[..<$0].trimmed }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
