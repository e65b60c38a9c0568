import CairnControl
import Foundation
import Testing

/// Names that aren't text, and times, in JSON and on a terminal.
@Suite struct PathTests {
  @Test(arguments: [
    ("/a/b", #""/a/b""#),
    ("/ü \" \\", #""/ü \" \\""#),
    ("/new\nline", #""/new\nline""#),
  ]) func `valid UTF-8 is a JSON string`(text: String, json: String) throws {
    let encoded = try ControlJSON.encode(Control.Path(text))
    #expect(String(decoding: encoded, as: UTF8.self) == json)
    #expect(try ControlJSON.decode(Control.Path.self, from: encoded) == Control.Path(text))
  }

  @Test func `other bytes are base64, with a text to show`() throws {
    let path = Control.Path([0x2F, 0xFF, 0x61])
    let encoded = try ControlJSON.encode(path)
    #expect(String(decoding: encoded, as: UTF8.self) == #"{"base64":"L/9h","text":"/\\xFFa"}"#)
    #expect(try ControlJSON.decode(Control.Path.self, from: encoded) == path)
  }

  @Test func `every byte but NUL survives the way through JSON`() throws {
    for byte in UInt8(1)...255 {
      for path in [Control.Path([byte]), Control.Path([0x2F, byte, 0xC3, 0xA4, byte])] {
        let encoded = try ControlJSON.encode(path)
        #expect(try ControlJSON.decode(Control.Path.self, from: encoded) == path)
        #expect(!encoded.contains(UInt8(ascii: "\n")))
      }
    }
  }

  @Test(arguments: [#""a\u0000b""#, #"{"base64":"AAA="}"#, #"{"base64":"*"}"#, "7", "{}"])
  func `a text that is no path is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try ControlJSON.decode(Control.Path.self, from: Array(json.utf8))
    }
  }

  @Test(arguments: [
    ([UInt8]("plain ü 日本".utf8), "plain ü 日本"),
    ([0x61, 0x0A, 0x09, 0x0D, 0x5C], #"a\n\t\r\\"#),
    ([0x1B, 0x5B, 0x4B, 0x7F], #"\x1B[K\x7F"#),
    ([0xFF, 0xC3, 0x28, 0xE2, 0x82], #"\xFF\xC3(\xE2\x82"#),
    ([0xE2, 0x80, 0xAE], #"\xE2\x80\xAE"#),
    ([0xC2, 0x9B], #"\xC2\x9B"#),
    ([], ""),
  ]) func `a terminal is shown nothing that could fool it`(bytes: [UInt8], shown: String) {
    #expect(Control.Path.printable(bytes) == shown)
  }

  @Test(arguments: [
    ("/home/ana/Trip", "/home/ana/Trip"), ("/ü/日本", "/ü/日本"), ("/a b", "'/a b'"),
    ("/Ana's $HOME `x` \\", #"'/Ana'\''s $HOME `x` \'"#), ("", "''"), ("~ana", "'~ana'"),
    ("-r", "./'-r'"), ("/a\nb c", #"$'/a\012b c'"#), ("/\u{202E}", #"$'/\342\200\256'"#),
  ])
  func `a path in a command for typing is one word`(path: String, word: String) {
    #expect(Control.Path(path).typed == word)
  }

  @Test func `a shell turns each word into the path that it stands for`() throws {
    let bytes = Array(UInt8(1)...255)
    var paths = bytes.map { [$0] } + bytes.map { [0x2F, $0, 0x37, 0x27, $0] }
    paths += [bytes, [0xC3, 0xA4, 0x20], [0x2F, 0xE2, 0x80, 0xAE]]
    // A path that looks like an option names the same file by another path.
    let expected = paths.map { $0.first == UInt8(ascii: "-") ? Array("./".utf8) + $0 : $0 }
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    let words = paths.map { Control.Path($0).typed }.joined(separator: " ")
    shell.arguments = ["-c", "printf '%s\\0' \(words)"]
    shell.environment = ["HOME": "/nowhere", "LC_ALL": "C.UTF-8"]
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    let made = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    #expect(made == Array(expected.map { $0 + [0] }.joined()))
  }

  @Test(arguments: [
    (0 as Int64, "1970-01-01T00:00:00.000000000Z"),
    (-1, "1969-12-31T23:59:59.999999999Z"),
    (951_782_400_000_000_001, "2000-02-29T00:00:00.000000001Z"),
    (1_795_269_780_123_456_789, "2026-11-21T14:03:00.123456789Z"),
    (4_107_542_399_000_000_000, "2100-02-28T23:59:59.000000000Z"),
    (.max, "2262-04-11T23:47:16.854775807Z"),
    (.min, "1677-09-21T00:12:43.145224192Z"),
    (.min + 854_775_808, "1677-09-21T00:12:44.000000000Z"),
  ]) func `times keep their nanoseconds`(nanoseconds: Int64, text: String) {
    let time = Control.Time(nanoseconds: nanoseconds)
    #expect(time.description == text)
    #expect(Control.Time(text) == time)
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-11-21T14:03:00", "2026-13-01T00:00:00Z", "2026-11-21T25:00:00Z",
    "2026-11-21T14:03:00.Z", "2026-11-21T14:03:00.1234567890Z", "2026-11-21T14:03:00Z ",
    "9999-01-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-02-31T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z", "1677-09-21T00:12:43.145224191Z",
  ]) func `a text that is no time is refused`(text: String) {
    #expect(Control.Time(text) == nil)
  }

  @Test func `seconds may have fewer digits`() {
    #expect(
      Control.Time("1970-01-01T00:00:01.5Z") == Control.Time(nanoseconds: 1_500_000_000))
    #expect(Control.Time("1970-01-01T00:00:01Z") == Control.Time(nanoseconds: 1_000_000_000))
  }

  @Test(arguments: ["1969-12-31", "2024-02-29", "2000-02-29", "1700-01-01", "2262-04-10"])
  func `an existing day is read back`(day: String) {
    let text = "\(day)T23:00:00.000000001Z"
    #expect(Control.Time(text).map { "\($0)" } == text)
  }
}
