import Testing

@testable import CairnIdentity

/// The 24 words of a recovery sheet, and the text of its QR code.
struct RecoveryWordsTests {
  /// The words of a fixed secret.
  private let words: RecoveryWords

  init() throws {
    let secret = try #require(SecretBytes(Array(0..<32)))
    words = RecoveryWords(secret)
  }

  @Test func `words and text lead to the same keys, which never change`() throws {
    #expect(words.words.count == 24)
    #expect(
      words.words.joined(separator: " ") == """
        abandon amount liar amount expire adjust cage candy arch gather drum bullet \
        absurd math era live bid rhythm alien crouch range attend journey used
        """)
    for text in [words.words.joined(separator: " "), words.text] {
      let read = try RecoveryWords(parsing: text)
      #expect(read == words && read.keys.id == words.keys.id)
    }
    #expect("\(words.keys.id)" == "ff6625ff5f82b6a402d6965970340340")
    #expect(
      words.text
        == "cairn:recovery/aeaacaqdaqcqmbyibefawdanbyhraeiscmkbkfqxdamrugy4dupb67uqzqnq")
    let other = RecoveryWords.random()
    #expect(try RecoveryWords(parsing: other.words.joined(separator: "\n")) == other)
    #expect(other.keys.id != words.keys.id)
  }

  @Test func `numbers, line breaks, upper case and missing letters do no harm`() throws {
    let numbered = words.words.enumerated().map { "\($0 + 1). \($1.uppercased().prefix(4))" }
    #expect(try RecoveryWords(parsing: numbered.joined(separator: "\n")) == words)
    #expect(try RecoveryWords(parsing: " <\(words.text.uppercased())>\n") == words)
    let broken = words.text.prefix(40) + "\n  " + words.text.dropFirst(40)
    #expect(try RecoveryWords(parsing: String(broken)) == words)
    #expect(try RecoveryWords(parsing: "Type this: \(words.text) on a new machine.") == words)
  }

  @Test func `a missing word, an unknown word and a wrong code are named`() {
    let list = words.words
    #expect(throws: RecoveryWords.Failure.count(23)) {
      try RecoveryWords(parsing: list.dropFirst().joined(separator: " "))
    }
    #expect(throws: RecoveryWords.Failure.count(0)) { try RecoveryWords(parsing: "12 34") }
    #expect(throws: RecoveryWords.Failure.unknown(3, word: "cairns")) {
      try RecoveryWords(parsing: (list[..<2] + ["cairns"] + list[3...]).joined(separator: " "))
    }
    for text in [words.text.dropLast(), words.text.dropLast(2) + "aa", words.text.dropLast() + " "]
    {
      #expect(throws: RecoveryWords.Failure.damagedCode) {
        try RecoveryWords(parsing: String(text))
      }
    }
    let newer = RecoveryWords.scheme + RFC4648.encode([9] + Array(repeating: 0, count: 36))
    #expect(throws: RecoveryWords.Failure.otherFormat(9)) { try RecoveryWords(parsing: newer) }
  }

  /// The checksum has eight bits: one of 256 mistakes stays.
  @Test func `a wrong word and two exchanged words are found`() {
    var found = 0
    var tried = 0
    for place in 0..<24 {
      for other in stride(from: place, to: 2_048, by: 97) {
        var list = words.words
        guard list[place] != WordList.words[other] else { continue }
        list[place] = String(WordList.words[other])
        tried += 1
        if (try? RecoveryWords(parsing: list.joined(separator: " "))) == nil { found += 1 }
      }
    }
    #expect(tried > 450 && found > tried * 98 / 100)
    var list = words.words
    list.swapAt(4, 5)
    #expect(throws: RecoveryWords.Failure.mistyped) {
      try RecoveryWords(parsing: list.joined(separator: " "))
    }
  }

  @Test func `the list has 2,048 words that differ in their first four letters`() {
    #expect(WordList.words.count == 2_048 && WordList.positions.count == 2_048)
    #expect(WordList.words.allSatisfy { (3...8).contains($0.count) })
    #expect(WordList.words.first == "abandon" && WordList.words.last == "zoo")
    #expect(WordList.words == WordList.words.sorted())
  }
}
