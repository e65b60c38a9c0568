/// Counts of the words and sentences in prose that readers stumble over. It knows no files.
struct PlainWords: Sendable {
  private(set) var words = 0
  /// The number of limited relative pronouns.
  private(set) var relatives = 0
  /// The number of limited pairs of a preposition and a relative pronoun.
  private(set) var partitives = 0
  private(set) var docComments = 0
  /// The number of doc comments that begin with a clause and not with a noun or a verb.
  private(set) var clauses = 0
  private(set) var sentences = 0
  /// The number of sentences of more than 30 words.
  private(set) var longSentences = 0
  /// The number of sentences that begin in the passive voice.
  private(set) var passives = 0

  /// The number of words in the longest sentence that isn't reported.
  static let wordsPerSentence = 30

  mutating func add(_ prose: Prose) {
    for text in prose.texts { add(text) }
    for comment in prose.docComments {
      docComments += 1
      let first = Self.words(of: comment).first ?? ""
      if ["what", "whether", "who", "where", "how"].contains(first) { clauses += 1 }
    }
  }

  mutating func add(_ text: String) {
    let words = Self.words(of: text)
    self.words += words.count
    relatives += words.count { $0 == "whoever" || $0 == "whom" }
    partitives += zip(words, words.dropFirst()).count { pair in
      pair.0 == "of" && ["which", "what", "whom"].contains(pair.1)
    }
    for sentence in Self.sentences(of: text) {
      let words = Self.words(of: sentence)
      if words.isEmpty { continue }
      sentences += 1
      if words.count > Self.wordsPerSentence { longSentences += 1 }
      if Self.isPassive(words.prefix(6)) { passives += 1 }
    }
  }

  /// The limits that are exceeded, each with its figures.
  var violations: [String] {
    var found: [String] = []
    if relatives * 10_000 > words {
      found.append("“whoever” and “whom”: \(relatives) in \(words) words; at most 1 in 10,000")
    }
    if partitives * 10_000 > 2 * words {
      found.append("“of which/what/whom”: \(partitives) in \(words) words; at most 2 in 10,000")
    }
    if clauses * 20 > docComments {
      found.append("doc comments that begin with a clause: \(clauses) of \(docComments); 5 %")
    }
    return found
  }

  /// One line of figures.
  var figures: String {
    "\(words) words, whoever/whom \(relatives), of which/what/whom \(partitives), "
      + "clauses \(clauses) of \(docComments) doc comments; \(sentences) sentences, "
      + "long \(longSentences), passive openings \(passives)"
  }

  // MARK: Words and sentences

  /// The words of a text in lower case.
  private static func words(of text: String) -> [String] {
    var found: [String] = []
    var word: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte + 32)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "'"), 128...: word.append(byte)
      default:
        if !word.isEmpty { found.append(String(decoding: word, as: UTF8.self)) }
        word = []
      }
    }
    if !word.isEmpty { found.append(String(decoding: word, as: UTF8.self)) }
    return found
  }

  /// The sentences of a text: they end with a full stop, a question or an exclamation mark before
  /// a blank.
  private static func sentences(of text: String) -> [String] {
    var found: [String] = []
    var sentence: [UInt8] = []
    var isEnd = false
    for byte in text.utf8 {
      if isEnd, byte == UInt8(ascii: " ") {
        found.append(String(decoding: sentence, as: UTF8.self))
        sentence = []
      }
      isEnd = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "!")
      sentence.append(byte)
    }
    found.append(String(decoding: sentence, as: UTF8.self))
    return found
  }

  private static let participles: Set<String> = [
    "begun", "brought", "chosen", "done", "drawn", "found", "given", "gone", "held", "kept",
    "known", "laid", "left", "let", "made", "met", "put", "read", "said", "seen", "sent", "set",
    "shown", "sought", "spoken", "taken", "thrown", "told", "understood", "written",
  ]

  /// A Boolean value that indicates whether the first words of a sentence have a form of "be" with
  /// a participle.
  private static func isPassive(_ words: ArraySlice<String>) -> Bool {
    zip(words, words.dropFirst()).contains { pair in
      ["is", "are", "was", "were", "be", "been", "isn't", "aren't"].contains(pair.0)
        && (pair.1.hasSuffix("ed") || participles.contains(pair.1))
    }
  }
}
