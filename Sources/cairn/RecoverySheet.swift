import CairnControl

/// A recovery sheet for paper: the words, the QR code, and the way to use them. It is text for a
/// terminal and a file, or a page of HTML for a printer.
struct RecoverySheet {
  let reply: Control.DeviceRecoveryReply
  private let code: QRCode

  init(_ reply: Control.DeviceRecoveryReply) throws(ControlError) {
    guard let code = QRCode(reply.code) else {
      throw ControlError(
        .limitExceeded, "The words don't fit into a QR code.", remedy: "Report this.")
    }
    self.reply = reply
    self.code = code
  }

  private var person: String {
    Wording.person(nil, reply.account.handle, reply.account.name)
  }
  private var container: String { reply.container.printable }
  private var name: String { Output.printable(reply.device.name) }
  private var command: String { "cairn init --recover --container \(reply.container.typed)" }
  private var day: String { String(Wording.time(reply.created).prefix(10)) }

  /// The advice below the words: each sentence, and the command for it.
  private var advice: [(text: [String], command: String)] {
    [
      (["If all your devices are lost, run this on a new machine, and type the words:"], command),
      (
        [
          "Anyone who has this sheet can read and change your folders as you can. Keep it like a",
          "passport, away from your computers. Test it with:",
        ], "cairn device recovery --test"
      ),
      (
        ["If the sheet is lost, or others have seen it, revoke it:"],
        "cairn device revoke \(Wording.id(reply.device.device))"
      ),
    ]
  }

  /// The words in four columns, each numbered from top to bottom.
  private var grid: [[(number: Int, word: String)]] {
    let rows = (reply.words.count + 3) / 4
    return (0..<rows).map { row in
      stride(from: row, to: reply.words.count, by: rows).map { ($0 + 1, reply.words[$0]) }
    }
  }

  /// The sheet as lines of text, for a terminal or for paper.
  func lines(onPaper: Bool) -> [String] {
    let words = grid.map { row in
      row.map { cell in
        let number = cell.number < 10 ? " \(cell.number)" : "\(cell.number)"
        return number + " " + cell.word + String(repeating: " ", count: 10 - cell.word.count)
      }.joined(separator: "  ")
    }
    let head = [
      "CAIRN RECOVERY SHEET", "", "Person:     \(person)", "Container:  \(container)",
      "Sheet:      \(name) (\(Wording.id(reply.device.device))), made on \(day)", "",
    ]
    return head + words.map { "    " + $0 } + [""]
      + TerminalPicture.lines(of: code, coloured: !onPaper, onPaper: onPaper) + [reply.code, ""]
      + advice.flatMap { $0.text + ["    " + $0.command] }
  }

  /// The sheet as a page for a printer.
  var page: String {
    let words = grid.map { row in
      "<tr>" + row.map { "<td><i>\($0.number)</i> \($0.word)</td>" }.joined() + "</tr>"
    }
    let lines = advice.map { advice in
      "<p>\(Self.escaped(advice.text.joined(separator: " ")))<br>"
        + "<code>\(Self.escaped(advice.command))</code></p>"
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>Cairn recovery sheet</title>
      <style>
      body { font: 12pt/1.5 sans-serif; max-width: 17cm; margin: 2cm auto; color: #000 }
      table { border-collapse: collapse; font: 13pt/2 monospace }
      td { border: 1px solid #888; padding: 0 0.8em; white-space: nowrap }
      i { color: #555; font-style: normal; display: inline-block; width: 1.6em }
      svg { display: block; width: 5cm; height: 5cm; margin: 0.5cm 0 }
      code { font-size: 10pt; overflow-wrap: anywhere }
      </style>
      </head>
      <body>
      <h1>Cairn recovery sheet</h1>
      <p>Person: \(Self.escaped(person))<br>
      Container: \(Self.escaped(container))<br>
      Sheet: \(Self.escaped(name)) (\(Wording.id(reply.device.device))), made on \(day)</p>
      <table>
      \(words.joined(separator: "\n"))
      </table>
      \(picture)
      <p><code>\(reply.code)</code></p>
      \(lines.joined(separator: "\n"))
      </body>
      </html>

      """
  }

  /// The QR code as an image that scales.
  private var picture: String {
    let size = code.width + 2 * TerminalPicture.margin
    var squares = ""
    for row in 0..<code.width {
      for column in 0..<code.width where code.isDark(row, column) {
        squares += "M\(column + TerminalPicture.margin) \(row + TerminalPicture.margin)h1v1h-1z"
      }
    }
    return "<svg viewBox=\"0 0 \(size) \(size)\" shape-rendering=\"crispEdges\">"
      + "<path d=\"\(squares)\"/></svg>"
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
