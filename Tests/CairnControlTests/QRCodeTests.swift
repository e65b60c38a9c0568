import CairnControl
import Testing

@testable import cairn

/// QR codes as they are printed on a terminal, read back by a reader that knows only ISO 18004.
@Suite struct QRCodeTests {
  private static let link =
    "cairn:share/aaisem2ekvthpcezvk54zxpo74asgrlhrgv433ybencwpcnlzxxqci2f"
    + "m6e2xtppaerukz4jvpg66an52232ofm6e2xtppaerukz4jvpg66an52232o"

  /// The texts, from the smallest code to one that no screen needs.
  private static let texts = [
    "cairn:share/a", link, link + "#" + String(link.dropFirst(12).prefix(58)),
    link + String(link.dropFirst(12)) + "#" + String(link.dropFirst(12).prefix(58)),
  ]

  @Test(arguments: texts) func `a reader finds exactly the text`(text: String) throws {
    let code = try #require(QRCode(text))
    let squares = try Self.squares(TerminalPicture.lines(of: code, coloured: false))
    #expect(try QRReader(squares).text() == text)
  }

  @Test(arguments: texts) func `there are three finder patterns and a quiet zone`(
    text: String
  ) throws {
    let code = try #require(QRCode(text))
    let lines = TerminalPicture.lines(of: code, coloured: false)
    #expect(Set(lines.map(\.count)) == [code.width + 8])
    let squares = try Self.squares(lines)
    let far = code.width - 7
    for (top, left) in [(0, 0), (0, far), (far, 0)] {
      for row in 0..<7 {
        for column in 0..<7 {
          let ring = max(abs(row - 3), abs(column - 3))
          #expect(squares[top + row][left + column] == (ring != 2))
        }
      }
    }
    // Two lines, which are four squares, are light around the code.
    for line in [lines[0], lines[1]] { #expect(line.allSatisfy { $0 == "█" }) }
    for line in lines.dropLast() {
      #expect(line.prefix(4).allSatisfy { $0 == "█" } && line.suffix(4).allSatisfy { $0 == "█" })
    }
  }

  @Test func `colours are set and reset on every line`() throws {
    let code = try #require(QRCode("cairn:share/a"))
    let plain = TerminalPicture.lines(of: code, coloured: false)
    for (line, bare) in zip(TerminalPicture.lines(of: code, coloured: true), plain) {
      #expect(line.hasPrefix("\u{1B}[") && line.hasSuffix("\u{1B}[0m") && line.contains(bare))
    }
  }

  @Test func `a text that is too long, or empty, has no code`() {
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "x", count: 2_954)) == nil)
    #expect(QRCode(String(repeating: "x", count: 2_953)) != nil)
  }

  /// Returns the picture's squares without its margin, true where dark.
  static func squares(_ lines: [String]) throws -> [[Bool]] {
    var rows: [[Bool]] = []
    for line in lines {
      rows.append(line.map { $0 == " " || $0 == "▄" })
      rows.append(line.map { $0 == " " || $0 == "▀" })
    }
    let width = try #require(rows.first).count - 8
    return rows[4..<4 + width].map { Array($0[4..<4 + width]) }
  }
}
