/// The width of text on a terminal: wide characters take two columns, combining marks none.
enum TextWidth {
  /// Returns the number of columns of a text; escape sequences for colours take none.
  static func columns(_ text: String) -> Int {
    var (count, isEscape) = (0, false)
    for character in text {
      if isEscape {
        isEscape = character != "m"
      } else if character == "\u{1B}" {
        isEscape = true
      } else {
        count += columns(character)
      }
    }
    return count
  }

  /// Returns the beginning of a text that fits into some columns, with its colours ended.
  static func prefix(_ text: String, columns limit: Int) -> String {
    guard columns(text) > limit else { return text }
    var (line, count, isEscape, hasColour) = ("", 0, false, false)
    for character in text {
      if isEscape || character == "\u{1B}" {
        isEscape = character != "m"
        hasColour = true
        line.append(character)
        continue
      }
      count += columns(character)
      guard count <= limit else { break }
      line.append(character)
    }
    return hasColour ? line + Paint.end : line
  }

  private static func columns(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // This selector asks for the wide picture of a character.
      width = max(width, scalar.value == 0xFE0F ? 2 : columns(scalar))
    }
    return width
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    let isWide =
      scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    return isWide ? 2 : 1
  }

  /// The blocks of East Asian wide and full-width characters.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x17000...0x18AFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
