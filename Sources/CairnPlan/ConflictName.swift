public import CairnZone

/// The label in the name of a conflict copy: its author, and the time. It has no clock and no host;
/// the caller gives both. The date is for people, and decides nothing.
public struct ConflictLabel: Hashable, Sendable {
  /// The person's name.
  public var who: String
  /// The host's name.
  public var host: String
  /// The year.
  public var year: Int
  /// The month, 1 to 12.
  public var month: Int
  /// The day of the month, 1 to 31.
  public var day: Int
  /// The hour, 0 to 23.
  public var hour: Int
  /// The minute, 0 to 59.
  public var minute: Int

  /// Creates a label.
  public init(
    who: String, host: String, year: Int, month: Int, day: Int, hour: Int, minute: Int
  ) {
    self.who = who
    self.host = host
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
  }

  /// Returns ` (conflict, bob on host, 2026-11-21 14.03)`, with a number before the parenthesis
  /// from the second attempt on.
  func bytes(attempt: Int) -> [UInt8] {
    let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    let time = "\(digits(hour, 2)).\(digits(minute, 2))"
    let number = attempt >= 2 ? " \(attempt)" : ""
    let tail = ", \(date) \(time)\(number))"
    return Array(labelStart.utf8) + cleaned(who) + Array(" on ".utf8) + cleaned(host)
      + Array(tail.utf8)
  }
}

/// Returns the name of a conflict copy: `NAME (conflict, bob on host, 2026-11-21 14.03).EXT`. It is
/// at most 255 bytes long; NAME is shortened for that, at the boundary of a character if it is
/// UTF-8. A copy of a conflict copy gets a new label instead of the old one. `attempt` counts from
/// 1; from 2 on it is part of the label, for a caller that finds the previous name taken.
public func conflictName(of name: FileName, label: ConflictLabel, attempt: Int) -> FileName {
  let (stem, suffix) = splitExtension(name.bytes)
  let mark = label.bytes(attempt: attempt)
  let room = 255 - mark.count - suffix.count
  let result = shortened(withoutLabel(stem), to: room) + mark + suffix
  guard let name = FileName(result) else {
    preconditionFailure("a conflict name must be a valid name: \(result)")
  }
  return name
}

/// Returns the name before the conflict, if `conflictName` made `name`: without the label, and as
/// far as it wasn't shortened. Nil for every other name. Anybody can give a file such a name by
/// hand, so it decides nothing; it is for people who look for a copy's origin.
public func nameBeforeConflict(_ name: FileName) -> FileName? {
  let bytes = name.bytes
  // The suffix begins after the label's last character, or there is none.
  for end in bytes.indices.reversed() where bytes[end] == UInt8(ascii: ")") {
    let stem = bytes[...end]
    let before = withoutLabel(stem)
    if before.count < stem.count { return FileName(Array(before) + bytes[(end + 1)...]) }
  }
  return nil
}

extension ConflictLabel {
  /// Returns the person, the host and the time in the name of a conflict copy, if `conflictName`
  /// made it. Anybody can give a file such a name by hand: they are for people only.
  public static func read(from name: FileName) -> (who: String, host: String, when: String)? {
    let bytes = name.bytes
    for end in bytes.indices.reversed() where bytes[end] == UInt8(ascii: ")") {
      let stem = bytes[...end]
      let before = withoutLabel(stem)
      guard before.count < stem.count else { continue }
      let text = String(
        decoding: stem.dropFirst(before.count + labelStart.utf8.count).dropLast(), as: UTF8.self)
      // A name may contain " on ", a host cannot.
      guard let comma = text.lastIndex(of: ","),
        let on = text[..<comma].split(separator: " on ").last, on.startIndex > text.startIndex
      else { return nil }
      let who = text[..<text.index(on.startIndex, offsetBy: -4)]
      return (String(who), String(on), String(text[comma...].dropFirst(2)))
    }
    return nil
  }
}

private let labelStart = " (conflict, "

private func digits(_ number: Int, _ width: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}

/// Returns the characters that a name may contain, at most 32 bytes.
private func cleaned(_ text: String) -> [UInt8] {
  let kept = text.unicodeScalars.filter {
    $0 != "/" && $0.properties.generalCategory != .control
  }
  let bytes = shortened(Array(String(String.UnicodeScalarView(kept)).utf8)[...], to: 32)
  return bytes.isEmpty ? [UInt8(ascii: "?")] : bytes
}

/// Splits a name at its extension: at the last dot, unless that is the first byte or too much
/// follows.
private func splitExtension(_ name: [UInt8]) -> (stem: ArraySlice<UInt8>, suffix: ArraySlice<UInt8>)
{
  let none = (name[...], name[name.endIndex...])
  // The dot in a label's time is no such dot.
  guard withoutLabel(name[...]).count == name.count else { return none }
  guard var dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return none }
  let suffix = name[(dot + 1)...]
  guard (1...16).contains(suffix.count), !suffix.contains(UInt8(ascii: " ")) else { return none }
  let archive = Array(".tar".utf8)
  if dot > archive.count, Array(name[(dot - archive.count)..<dot]) == archive {
    dot -= archive.count
  }
  return (name[..<dot], name[dot...])
}

/// Returns the stem without the label of an earlier conflict at its end.
private func withoutLabel(_ stem: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  guard stem.last == UInt8(ascii: ")") else { return stem }
  let start = Array(labelStart.utf8)
  guard stem.count > start.count + 1 else { return stem }
  var index = stem.endIndex - start.count
  while index > stem.startIndex {
    if stem[index...].starts(with: start) {
      return endsWithDate(stem[(index + start.count)..<(stem.endIndex - 1)])
        ? stem[..<index] : stem
    }
    index -= 1
  }
  return stem
}

/// Returns whether a text ends like a label: `, 2026-11-21 14.03`, and perhaps the number of an
/// attempt.
private func endsWithDate(_ label: ArraySlice<UInt8>) -> Bool {
  let pattern = Array(", 0000-00-00 00.00".utf8)
  func fits(_ tail: ArraySlice<UInt8>) -> Bool {
    tail.count == pattern.count
      && zip(tail, pattern).allSatisfy { byte, model in
        model == UInt8(ascii: "0") ? isDigit(byte) : byte == model
      }
  }
  if fits(label.suffix(pattern.count)) { return true }
  guard let space = label.lastIndex(of: UInt8(ascii: " ")) else { return false }
  let number = label[(space + 1)...]
  return !number.isEmpty && number.allSatisfy(isDigit)
    && fits(label[..<space].suffix(pattern.count))
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte }

/// Returns the first `limit` bytes, without a UTF-8 character that would be divided.
private func shortened(_ bytes: ArraySlice<UInt8>, to limit: Int) -> [UInt8] {
  guard bytes.count > limit else { return Array(bytes) }
  var end = bytes.startIndex + limit
  // A UTF-8 character has at most three continuation bytes; more are no UTF-8, and are cut
  // anywhere.
  for back in 0...3 where end - back > bytes.startIndex {
    guard bytes[end - back] & 0b1100_0000 == 0b1000_0000 else {
      if bytes[end - back] >= 0b1100_0000 || back == 0 { end -= back }
      break
    }
  }
  return Array(bytes[..<end])
}
