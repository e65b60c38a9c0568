import CairnZone

/// A shell of `LogCursor` over a model: it opens and replays, and looks by the model's answers.
struct ModelReader {
  private let world: LogWorld
  var cursor = LogCursor()
  /// The last replayed entry.
  private(set) var head: Int
  /// The keys by epoch: the entries that brought them.
  var keys: [UInt64: Int] = [1: 0]
  var answers: ArraySlice<String> = []

  /// The entry of the reader before it continued from a log start.
  private var beforeStart: Int?

  /// The end of the answers, with the next look.
  private struct Look: Error { let what: String }
  /// A log that does not contain the log start from which it was read.
  private struct Unconfirmed: Error {}

  init(_ world: LogWorld, head: Int) {
    self.world = world
    self.head = head
    cursor.begin(.read(upTo: .max))
  }

  private var header: ZoneHeader { world.header(after: head) }
  private var key: Int { keys[header.epoch] ?? -1 }

  mutating func play() -> String {
    while true {
      let context = LogCursor.Context(
        header: header, canReadOn: keys[header.epoch] != nil,
        founder: LogWorld.author("1").user, user: LogWorld.author("3").user)
      switch cursor.next(context) {
      case .ended(let outcome): return "end \(word(outcome))"
      case .ask(let ask):
        do {
          let answer = try answer(ask)
          cursor.take(answer)
        } catch let look as Look {
          return "ask \(look.what)"
        } catch is Unconfirmed {
          head = beforeStart ?? head
          return "end unconfirmed"
        } catch {
          return "end misled"
        }
      }
    }
  }

  private func word(_ outcome: LogCursor.Outcome) -> String {
    switch outcome {
    case .done: keys[header.epoch] == nil ? "shut" : "end"
    case .trouble(let trouble, _): trouble.kind == .held ? "held" : "\(trouble.kind)"
    case .disputed: "disputed"
    case .overtaken, .elsewhere, .misled: "misled"
    }
  }

  /// Returns the model's answer to a look.
  private mutating func look(_ what: String) throws -> String {
    guard let answer = answers.popFirst() else { throw Look(what: what) }
    return answer
  }

  private mutating func object(_ key: Int, _ place: UInt64) throws -> LogObject {
    object(try look("at \(key) \(place - 1)"))
  }

  private func object(_ answer: String) -> LogObject {
    guard let number = Int(answer) else { return .nothing }
    return number < 0 ? .rubbish("It is garbage.") : .bytes(LogWorld.digest(number).bytes)
  }

  private func number(_ object: LogObject) -> Int? {
    object.bytes.flatMap { Bytes32($0) }.map { LogWorld.number($0) }
  }

  // MARK: Answers

  private mutating func answer(_ ask: LogCursor.Ask) throws -> LogCursor.Answer {
    switch ask {
    case .apply(let batch): return .stop(apply(batch))
    case .entries: return .batch(try entries())
    case .object(let place): return .object(try counting(place))
    case .raw(let place): return .object(try object(key, place))
    case .mark: return .object(object(try look("mark \(key)")))
    case .endRecord: return .end(try endRecord())
    case .entry(let digest, let place): return .entry(try find(digest, place))
    case .isThere(let digest, let place):
      return .bool(try isThere(digest, place))
    case .signed(let place): return .signed(try signed(behind: place))
    case .signer(let place, let epoch):
      guard let key = keys[epoch], let found = number(try object(key, place)) else {
        return .signer(nil)
      }
      let author = world.commit(found).author
      return .signer(LogCursor.Signer(digest: LogWorld.digest(found), author: author))
    case .fill(let place, let entry):
      let number = LogWorld.number(entry.digest)
      let key = world.entries[world.entries[number].previous].key
      return .bool(try look("fill \(key) \(place - 1) \(number)") == "1")
    case .isRevoked(let author): return .bool(LogWorld.isRevoked(author))
    case .digest(let place):
      return .digest(read(place).map { LogWorld.digest($0) })
    case .previous(let place):
      let found = number(try object(key(of: place), place))
      return .digest(found.map { world.commit($0).previous })
    case .start: return .bool(try continuesFromStart())
    case .confirmStart:
      try confirmStart()
      return .bool(true)
    case .findKey, .isElsewhere, .isBelowStart, .mayBeEnded: return .bool(false)
    case .passes: return .bool(true)
    }
  }

  /// Only an owner who deletes entries below a log start takes the founding entry away.
  private mutating func isThere(_ digest: Bytes32, _ place: UInt64) throws -> Bool {
    guard place == 1 else { return try find(digest, place) != nil }
    return world.isCompacted ? try look("founding") == "stands" : true
  }

  /// Continues from the log start, if it is above the last replayed entry.
  private mutating func continuesFromStart() throws -> Bool {
    guard world.isCompacted, let mark = Int(try look("start")),
      world.entries[mark].sequence > header.sequence
    else { return false }
    beforeStart = beforeStart ?? head
    head = mark
    (cursor.expected, cursor.trouble) = (ExpectedEntries(), nil)
    return true
  }

  private func confirmStart() throws {
    let isConfirmed = world.chain(head).contains { world.entries[$0].kind == "floor" }
    guard beforeStart == nil || isConfirmed else { throw Unconfirmed() }
  }

  /// The entry that was read at a position.
  private func read(_ place: UInt64) -> Int? {
    let chain = [0] + world.chain(head)
    return place > 0 && place <= UInt64(chain.count) ? chain[Int(place) - 1] : nil
  }

  /// The key that names a position: of the log as read, or the one in force.
  private func key(of place: UInt64) -> Int {
    read(place).map { world.entries[world.entries[$0].previous].key } ?? key
  }

  private mutating func counting(_ place: UInt64) throws -> LogObject {
    if let bytes = cursor.expected.entries[place] { return .bytes(bytes) }
    return try object(key(of: place), place)
  }

  /// The next entries, up to the first free position.
  private mutating func entries() throws -> LogBatch {
    var batch = LogBatch()
    var place = header.sequence
    repeat {
      place += 1
      if batch.behind != .nothing {
        batch.entries.append(LogBatch.Placed(sequence: place - 1, found: batch.behind))
      }
      batch.behind = try counting(place)
    } while batch.behind != .nothing
    return batch
  }

  private mutating func endRecord() throws -> EpochEndRecord {
    let mark = object(try look("mark \(key)"))
    if mark == .nothing { return .free }
    guard let number = number(mark), world.entries[number].raises,
      world.entries[world.entries[number].previous].key == key
    else { return .garbage(mark) }
    let place = world.entries[number].sequence
    guard place > header.sequence, try object(key, place) == mark else { return .unproven }
    return .counts(
      EpochEndRecord.End(signed: world.signed(number), entry: LogWorld.entry(number)))
  }

  private mutating func find(_ digest: Bytes32, _ place: UInt64) throws -> LogCursor.Found? {
    let wanted = LogWorld.number(digest)
    let names = keys.sorted { $0.key < $1.key }.map { "\($0.value)" }.joined(separator: ",")
    let found = try look("find \(wanted) \(names)")
    guard found != "-" else { return nil }
    let commit = world.commit(wanted)
    return LogCursor.Found(
      entry: LogWorld.entry(wanted), isCopy: found == "copy",
      content: .signed(previous: commit.previous, by: commit.author, epoch: commit.epoch))
  }

  private mutating func signed(behind place: UInt64) throws -> [SignedEntry] {
    let later = keys.filter { $0.key >= header.epoch }.sorted { $0.key > $1.key }
    let names = later.map { "\($0.value)" }.joined(separator: ",")
    let found = try look("behind \(place) \(place + LogCursor.lookAhead - 1) \(names)")
    return found.split(separator: ",").compactMap { Int($0) }.map { world.signed($0) }
  }

  // MARK: Replay

  private mutating func apply(_ batch: LogBatch) -> LogStop? {
    let epoch = header.epoch
    for (index, entry) in batch.entries.enumerated() where header.epoch == epoch {
      let next = index + 1 < batch.entries.count ? batch.entries[index + 1].found : batch.behind
      guard let number = number(entry.found) else {
        return LogStop(
          sequence: entry.sequence, reason: "garbage", found: entry.found, holder: .rubbish)
      }
      let commit = world.commit(number)
      guard world.entries[number].previous == head, world.entries[number].isValid else {
        return LogStop(
          sequence: entry.sequence, reason: "invalid", found: entry.found, holder: .rubbish,
          commit: commit)
      }
      let judges = commit.nextKey == nil ? header : world.header(after: number)
      if cursor.hearsContradiction(at: entry.sequence, judges), let behind = self.number(next),
        let other = LogCursor.contradictor(
          world.signed(behind), of: LogWorld.digest(number), judges)
      {
        var stop = LogStop(
          sequence: entry.sequence, reason: "contradicted", found: entry.found, commit: commit,
          contradictor: other)
        stop.digest = LogWorld.digest(number)
        stop.isRevoked = LogWorld.isRevoked(commit.author)
        return stop
      }
      head = number
      if world.entries[number].raises { keys[header.epoch] = number }
      cursor.expected.drop(upTo: header.sequence)
    }
    return nil
  }
}
