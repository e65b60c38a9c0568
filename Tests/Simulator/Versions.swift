/// The contents that the people of a story wrote, and their later actions on them: the part of the
/// checks that knows which contents must not be lost. It must not know the way of mirroring.
final class Versions {
  /// A content that a person wrote completely.
  struct Version {
    var author: Int
    var step: Int
    /// A Boolean value that indicates whether somebody who had seen it overwrote or deleted it.
    var isExcused = false
    /// A Boolean value that indicates whether the last such action was a deletion of exactly this.
    var isDeleted = false
    /// The people who changed a file with this content in any way.
    var touched: Set<Int> = []
    /// The people who moved such a file, or a directory around it.
    var moved: Set<Int> = []
    /// A Boolean value that indicates whether somebody put the file over another one. That one has
    /// its bytes from then on, and the file itself is deleted. It stays if somebody else changed or
    /// moved it meanwhile.
    var tookPlace = false
  }

  /// The person number for the daemon itself, which ended in the middle.
  static let nobody = -1

  /// A content as a key. Writers append to each other's contents, so the end distinguishes them.
  struct Text: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func hash(into hasher: inout Hasher) {
      hasher.combine(bytes.count)
      bytes.suffix(48).withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  private(set) var all: [Text: Version] = [:]
  /// All bytes that were ever in a file by a person's action, complete or not.
  private var known: Set<Text> = [Text([])]
  /// The earlier contents of a file, by its content at that time, with the person.
  private var before: [Text: [(bytes: [UInt8], person: Int?)]] = [:]
  private var replaced: Set<Text> = []
  /// The people who changed a file while it had bytes that were never a complete version.
  private var touchedInPassing: [Text: Set<Int>] = [:]
  private var counter = 0

  /// Creates bytes that nobody wrote before. From this size on a file gets a pack in the container.
  static let large = 120_000

  func fresh(by person: Int, size: Int, after old: [UInt8] = []) -> [UInt8] {
    counter += 1
    var bytes = old + Array("<\(counter) by \(person)>".utf8)
    let filler = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    // Large contents must not compress well, or no pack ever contains them.
    var dice = Dice(beside: UInt64(counter))
    let isLarge = size >= Self.large
    while bytes.count < size {
      let number = isLarge ? dice.number(below: filler.count) : bytes.count * 7 + counter
      bytes.append(filler[number % filler.count])
    }
    return bytes
  }

  /// Returns whether a person wrote these bytes, completely or not. The lines of a text may be from
  /// several versions.
  func isKnown(_ bytes: [UInt8]) -> Bool { known.contains(Text(bytes)) || isText(bytes) }

  // MARK: Lines

  /// The lines that people wrote in texts; nobody removes one.
  private var lines: Set<ArraySlice<UInt8>> = []
  /// The lines in bytes that a stop of the machine may have taken.
  private var excusedLines: Set<ArraySlice<UInt8>> = []
  /// The lines that must not be lost.
  var keptLines: Set<ArraySlice<UInt8>> { lines.subtracting(excusedLines) }

  /// Creates a line that nobody wrote before.
  func freshLine(by person: Int) -> [UInt8] {
    counter += 1
    let line = Array("line \(counter) by \(person)\n".utf8)
    lines.insert(line[...])
    return line
  }

  /// The lines of a text, with their ends.
  static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      found.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    return rest.isEmpty ? found : found + [rest]
  }

  /// Returns whether bytes are a text, with each line at most once.
  func isText(_ bytes: [UInt8]) -> Bool {
    guard !lines.isEmpty, !bytes.isEmpty else { return false }
    let found = Self.lines(of: bytes)
    return found.allSatisfy(lines.contains) && Set(found).count == found.count
  }

  /// The version with these bytes; nil if nobody wrote it.
  func version(_ bytes: [UInt8]) -> Version? { all[Text(bytes)] }

  /// Notes a written version. `old` is the earlier content of the file; nil for a new one.
  func wrote(_ bytes: [UInt8], by person: Int, at step: Int, over old: [UInt8]?) {
    known.insert(Text(bytes))
    if let old { replaced(old, with: bytes, by: person) }
    guard !bytes.isEmpty else { return }
    all[Text(bytes)] = Version(author: person, step: step)
  }

  /// Notes bytes that existed only for a moment.
  func passed(_ bytes: [UInt8], over old: [UInt8]? = nil) {
    known.insert(Text(bytes))
    if let old { before[Text(bytes), default: []].append((old, nil)) }
  }

  /// Notes that a file with the old content has the new one from now on: it was written there, or
  /// another file replaced it.
  func replaced(_ old: [UInt8], with bytes: [UInt8], by person: Int) {
    before[Text(bytes), default: []].append((old, person))
    replaced.insert(Text(old))
  }

  /// Returns whether the bytes were ever replaced.
  func wasReplaced(_ text: Text) -> Bool { replaced.contains(text) }

  /// The people who changed the file with that final content, whatever content they saw. A moved
  /// file stays, even if it was edited and deleted elsewhere meanwhile. The writer of a version
  /// changed the one before in the view of all readers. But a move of theirs may have waited longer
  /// than their write.
  func touched(lastAs bytes: [UInt8]) -> Set<Int> {
    var people = all[Text(bytes)]?.touched ?? []
    var seen: Set<Text> = [Text(bytes)]
    var next = [bytes]
    while let current = next.popLast() {
      for step in before[Text(current)] ?? [] where seen.insert(Text(step.bytes)).inserted {
        let version = all[Text(step.bytes)]
        var others = version?.touched ?? touchedInPassing[Text(step.bytes)] ?? []
        if let person = step.person, version?.moved.contains(person) != true {
          others.remove(person)
        }
        people.formUnion(others)
        next.append(step.bytes)
      }
    }
    return people
  }

  /// The people whose folders lost hints without a report.
  var unheard: Set<Int> = []

  /// Returns whether one person seemed to delete the file while another one changed it: a file that
  /// is deleted here and moved there stays. A file that was put over another one, which has its
  /// bytes from then on, seems deleted, and so does an unreported move.
  func mayStandTwice(_ bytes: [UInt8]) -> Bool {
    // The changes of incomplete contents are not recorded by person.
    guard all[Text(bytes)] != nil else { return true }
    let people = touched(lastAs: bytes)
    guard people.count > 1 else { return false }
    // Each of two people who changed it restores it after a third one's deletion.
    if all[Text(bytes)]?.isExcused == true, people.count > 2 { return true }
    return all[Text(bytes)]?.tookPlace == true || !people.isDisjoint(with: unheard)
  }

  func overwrote(_ bytes: [UInt8], by person: Int) {
    all[Text(bytes)]?.isExcused = true
    all[Text(bytes)]?.isDeleted = false
    all[Text(bytes)]?.touched.insert(person)
  }

  func deleted(_ bytes: [UInt8], by person: Int) {
    all[Text(bytes)]?.isExcused = true
    all[Text(bytes)]?.isDeleted = true
    all[Text(bytes)]?.touched.insert(person)
  }

  func touched(_ bytes: [UInt8], by person: Int, isMove: Bool = false) {
    guard all[Text(bytes)] != nil else {
      // Empty files cannot be distinguished.
      if !bytes.isEmpty { touchedInPassing[Text(bytes), default: []].insert(person) }
      return
    }
    all[Text(bytes)]?.touched.insert(person)
    if isMove { all[Text(bytes)]?.moved.insert(person) }
  }

  func tookPlace(_ bytes: [UInt8]) { all[Text(bytes)]?.tookPlace = true }

  /// Notes that the machine stopped before the bytes were durable.
  func lost(_ bytes: [UInt8]) {
    all[Text(bytes)]?.isExcused = true
    excusedLines.formUnion(Self.lines(of: bytes))
  }
}
