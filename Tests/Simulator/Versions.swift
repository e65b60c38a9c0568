/// What the people of a story wrote, and what became of it by their own hands: the part of the
/// checks that knows what nobody may lose. It must not know how anything is mirrored.
final class Versions {
  /// A content that a person wrote completely.
  struct Version {
    var author: Int
    var step: Int
    /// Whether somebody who had seen it overwrote or deleted it.
    var isExcused = false
    /// Whether the last of that was a deletion by a person who meant exactly this.
    var isDeleted = false
    /// Who did anything to a file with this content.
    var touched: Set<Int> = []
    /// Who moved such a file, or a directory that it was in.
    var moved: Set<Int> = []
    /// Whether somebody put the file where another one stood. That one has its bytes from then on,
    /// and the file itself is deleted; it stays if somebody else changed or moved it meanwhile.
    var tookPlace = false
  }

  /// Stands among people for the daemon itself, which ended in the middle.
  static let nobody = -1

  /// A content as a key: whoever writes one appends to another, so what tells them apart stands at
  /// the end.
  struct Text: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func hash(into hasher: inout Hasher) {
      hasher.combine(bytes.count)
      bytes.suffix(48).withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  private(set) var all: [Text: Version] = [:]
  /// All bytes that ever stood in a file by a person's hand, complete or not.
  private var known: Set<Text> = [Text([])]
  /// What stood in a file before, by what stood in it then, and who did that.
  private var before: [Text: [(bytes: [UInt8], person: Int?)]] = [:]
  private var replaced: Set<Text> = []
  /// Who did anything to a file while it had bytes that were never all of a version.
  private var touchedInPassing: [Text: Set<Int>] = [:]
  private var counter = 0

  /// Bytes that nobody wrote before.
  /// From that size on a file gets a pack in the container.
  static let large = 120_000

  func fresh(by person: Int, size: Int, after old: [UInt8] = []) -> [UInt8] {
    counter += 1
    var bytes = old + Array("<\(counter) by \(person)>".utf8)
    let filler = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    // What is large must not get small when it is stored, or no pack ever holds it.
    var dice = Dice(beside: UInt64(counter))
    let isLarge = size >= Self.large
    while bytes.count < size {
      let number = isLarge ? dice.number(below: filler.count) : bytes.count * 7 + counter
      bytes.append(filler[number % filler.count])
    }
    return bytes
  }

  /// Whether a person wrote these bytes, completely or not.
  func isKnown(_ bytes: [UInt8]) -> Bool { known.contains(Text(bytes)) }

  /// The version that a person wrote so; nil if nobody did.
  func version(_ bytes: [UInt8]) -> Version? { all[Text(bytes)] }

  /// `old` is what stood in the file until then; nil for a new one.
  func wrote(_ bytes: [UInt8], by person: Int, at step: Int, over old: [UInt8]?) {
    known.insert(Text(bytes))
    if let old { replaced(old, with: bytes, by: person) }
    guard !bytes.isEmpty else { return }
    all[Text(bytes)] = Version(author: person, step: step)
  }

  /// Bytes that stood there for a moment only.
  func passed(_ bytes: [UInt8], over old: [UInt8]? = nil) {
    known.insert(Text(bytes))
    if let old { before[Text(bytes), default: []].append((old, nil)) }
  }

  /// A file that had the old content has the other one from then on: it was written there, or
  /// another file was put in its place.
  func replaced(_ old: [UInt8], with bytes: [UInt8], by person: Int) {
    before[Text(bytes), default: []].append((old, person))
    replaced.insert(Text(old))
  }

  /// Whether the bytes ever stood where others took their place.
  func wasReplaced(_ text: Text) -> Bool { replaced.contains(text) }

  /// Who did anything to the file that had that content in the end, whatever content they saw:
  /// what somebody moves stays, though it was edited and deleted elsewhere meanwhile. Whoever wrote
  /// a version did to the one before what everybody saw who had theirs; but a move of theirs may
  /// have waited for longer than what they wrote.
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

  /// The people of whose folders hints were lost, and nobody said so.
  var unheard: Set<Int> = []

  /// Whether one person seemed to have deleted the file while somebody else did something to it:
  /// what is deleted here and moved there stays. What was put in another file's place, which has
  /// the bytes from then on, seems deleted, and so does what was moved unheard.
  func mayStandTwice(_ bytes: [UInt8]) -> Bool {
    // Nobody knows who did anything to what was never written completely.
    guard all[Text(bytes)] != nil else { return true }
    let people = touched(lastAs: bytes)
    guard people.count > 1 else { return false }
    // Each of two who did something to it brings it back when a third one takes it away.
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
      // Nothing tells one empty file from another.
      if !bytes.isEmpty { touchedInPassing[Text(bytes), default: []].insert(person) }
      return
    }
    all[Text(bytes)]?.touched.insert(person)
    if isMove { all[Text(bytes)]?.moved.insert(person) }
  }

  func tookPlace(_ bytes: [UInt8]) { all[Text(bytes)]?.tookPlace = true }

  /// The machine went down before the bytes were durable.
  func lost(_ bytes: [UInt8]) { all[Text(bytes)]?.isExcused = true }
}
