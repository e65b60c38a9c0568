import CairnControl
import Testing

@testable import cairn

/// The printed forms of a recovery sheet.
struct RecoverySheetTests {
  private let reply = Control.DeviceRecoveryReply(
    device: Control.Device(
      device: "0123456789abcdef", name: "safe", isActive: true, isThis: false, isRecovery: true),
    words: (1...24).map { "word\(Character(UnicodeScalar(96 + UInt8($0))))" },
    code: "cairn:recovery/abc", container: Control.Path("/srv/my cloud"),
    account: Control.AccountStatus(
      user: "u", handle: "ana", name: "Ana <Lima> & \"co\"", device: "d", deviceName: "desk"),
    created: Control.Time(nanoseconds: 1_795_824_000_000_000_000))

  @Test func `the text has all words with their numbers, and a code for dark ink`() throws {
    let lines = try RecoverySheet(reply).lines(onPaper: true)
    let cells = lines.flatMap { $0.matches(of: /(\d+) (word[a-z])/) }
    let words = Dictionary(uniqueKeysWithValues: cells.map { (Int($0.output.1), $0.output.2) })
    for (number, word) in reply.words.enumerated() { #expect(words[number + 1] == word[...]) }
    #expect(cells.count == 24)
    #expect(lines.contains { $0.contains("cairn init --recover --container '/srv/my cloud'") })
    #expect(lines.contains { $0.contains("cairn device revoke 0123456789ab") })
    #expect(lines.contains(reply.code))
    // The picture has two rows in a line, and a margin of four squares around it.
    let end = try #require(lines.firstIndex(of: reply.code))
    let height = (try #require(QRCode(reply.code)).width + 9) / 2
    let picture = lines[(end - height)..<end].map { String($0.map(Self.inverted)) }
    #expect(try QRReader(QRCodeTests.squares(picture)).text() == reply.code)
    #expect(try RecoverySheet(reply).lines(onPaper: false).contains { $0.contains("\u{1B}[0m") })
  }

  /// Returns the character with dark and light exchanged.
  private static func inverted(_ character: Character) -> Character {
    switch character {
    case "█": " "
    case " ": "█"
    case "▀": "▄"
    default: "▀"
    }
  }

  @Test func `the page shows the same code, and names are only text in it`() throws {
    let page = try RecoverySheet(reply).page
    #expect(page.contains("Ana &lt;Lima&gt; &amp; &quot;co&quot; (ana)"))
    #expect(!page.contains("<Lima>"))
    #expect(page.matches(of: /<td><i>(\d+)<\/i> word[a-z]<\/td>/).count == 24)
    let width = try #require(QRCode(reply.code)).width
    var squares = [[Bool]](repeating: Array(repeating: false, count: width), count: width)
    for match in page.matches(of: /M(\d+) (\d+)h1v1h-1z/) {
      let (column, row) = (try #require(Int(match.output.1)), try #require(Int(match.output.2)))
      squares[row - 4][column - 4] = true
    }
    #expect(try QRReader(squares).text() == reply.code)
  }
}
