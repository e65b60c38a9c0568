import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The shell of `LogCursor`: it fetches, opens and replays what the cursor asks for. It decides
/// which requests are made together, and nothing about the log.
struct LogReader {
  let replica: ZoneReplica
  /// The number of replayed entries.
  private(set) var pulled = PulledEntries()
  private var entries: EntryReader?
  private var last: UInt64 = 0
  /// The pointers to log starts that the log did not confirm.
  private var vain: Set<ObjectKey> = []
  /// The names that were requested ahead for the present way back.
  private var requested: [ObjectKey] = []

  init(_ replica: ZoneReplica) { self.replica = replica }

  var header: ZoneHeader { replica.header }
  var keys: Keyring { replica.keys }
  var folder: ZoneFolder { replica.folder }
  var store: any ObjectStore { replica.store }

  /// Reads the log.
  /// - Parameters:
  ///   - last: The highest position to read.
  ///   - vain: The pointers to log starts that the log did not confirm.
  /// - Throws: `CloudError` with the reason why it stopped.
  mutating func read(upTo last: UInt64, except vain: Set<ObjectKey>) throws {
    (self.last, self.vain) = (last, vain)
    entries = try EntryReader(replica)
    try run(.read(upTo: last))
  }

  /// Plays a task.
  /// - Throws: `CloudError` if the container cannot be read, or with the trouble that was found.
  mutating func run(_ task: LogCursor.Task) throws {
    replica.cursor.begin(task)
    defer {
      replica.cursor.leave()
      replica.ahead.drop(requested)
    }
    while true {
      switch replica.cursor.next(context) {
      case .ask(let ask):
        let answer = try answer(ask)
        replica.cursor.take(answer)
      case .ended(.done): return
      case .ended(let outcome): throw try error(of: outcome)
      }
    }
  }

  private var context: LogCursor.Context {
    LogCursor.Context(
      header: header, canReadOn: replica.canReadOn, founder: folder.founder,
      user: replica.account.user)
  }

  private mutating func answer(_ ask: LogCursor.Ask) throws -> LogCursor.Answer {
    switch ask {
    case .entry(let digest, let place): return .entry(try find(digest, at: place))
    case .signer(let place, let epoch): return .signer(try signer(at: place, epoch: epoch))
    case .isRevoked(let author): return .bool(try isRevokedNow(author))
    default: break
    }
    replica.ahead.drop(requested)
    requested = []
    switch ask {
    case .apply(let batch): return .stop(try EntryReplay(replica).fold(batch, into: &pulled))
    case .entries: return .batch(try entries?.read(upTo: last) ?? LogBatch())
    case .object(let place): return .object(try replica.find(place))
    case .raw(let place): return .object(try object(at: replica.place(place)))
    case .mark: return .object(try object(at: keys[epoch].map { folder.end(of: $0) }))
    case .isThere(let digest, let place):
      return .bool(try replica.entry(with: digest, at: place) != nil)
    case .signed(let place): return .signed(try signed(behind: place))
    case .endRecord: return .end(try EpochEndRecords(replica).record())
    case .fill(let place, let entry): return .bool(try fill(place, with: entry.bytes))
    case .digest(let place): return .digest(try replica.digest(at: place))
    case .previous(let place): return .digest(try previous(at: place))
    default: return .bool(try LogSurroundings(replica).answer(ask, upTo: last, except: vain))
    }
  }

  private func object(at key: ObjectKey?) throws -> LogObject {
    try key.map { try replica.find(at: $0) } ?? .nothing
  }

  /// The epoch in force.
  private var epoch: UInt64 { max(header.epoch, 1) }

  // MARK: Entries behind

  private func signed(behind sequence: UInt64) throws -> [SignedEntry] {
    let later = keys.all.reversed().filter { $0.epoch >= epoch }
    let places = sequence + 1...sequence + LogCursor.lookAhead
    let names = places.flatMap { place in
      later.map { (place, $0, folder.place(place, $0)) }
    }
    var found: [SignedEntry] = []
    for (number, (place, key, name)) in names.enumerated() {
      foresee(name) { names[number...].map { $0.2 } }
      guard let bytes = try replica.find(at: name).bytes else { continue }
      do {
        let commit = try replica.open(bytes, at: place, keys: keys).commit
        guard commit.epoch == key.epoch else { continue }
        found.append(
          SignedEntry(
            sequence: place, previous: commit.previous, author: commit.author,
            isRevoked: replica.people.hasRevoked(commit.author)))
      } catch is EntryRefused {
        continue
      }
    }
    return found
  }

  private func previous(at place: UInt64) throws -> Bytes32? {
    guard let bytes = try replica.fetch(place) else { return nil }
    do {
      return try replica.open(bytes, at: place, keys: keys).commit.previous
    } catch is EntryRefused {
      return nil
    }
  }

  // MARK: The way back

  private mutating func find(_ digest: Bytes32, at place: UInt64) throws -> LogCursor.Found? {
    // Almost always they all belong to the epoch in force.
    if let key = keys[epoch] {
      requested += foresee(folder.place(place, key)) {
        // A record or an anchor may name any position: even their number may not fit into an Int.
        let few = min(place - header.sequence, UInt64(replica.ahead.width))
        return (place - few + 1...place).reversed().map { folder.place($0, key) }
      }
    }
    let standing = try replica.standing(digest, at: place)
    guard let bytes = try standing ?? replica.entry(with: digest, at: place) else { return nil }
    return LogCursor.Found(
      entry: LogEntry(digest: digest, bytes: bytes), isCopy: standing == nil,
      content: content(of: bytes, at: place))
  }

  private func content(of bytes: [UInt8], at place: UInt64) -> LogCursor.Found.Content {
    do throws(EntryProblem) {
      let epoch = try EntryCodec.header(of: bytes).epoch
      let commit = try EntryCodec.reopen(bytes, zone: replica.zone, sequence: place, keys: keys)
      return .signed(previous: commit.previous, by: commit.author, epoch: epoch)
    } catch {
      return error.isFinal ? .invalid : .newer
    }
  }

  /// Prefetches the objects under several names, beginning with one, if that is unknown.
  /// - Returns: the requested keys.
  @discardableResult
  private func foresee(_ first: ObjectKey, _ names: () -> [ObjectKey]) -> [ObjectKey] {
    guard replica.ahead.width > 1, !replica.ahead.knows(first) else { return [] }
    let asked = Array(names().drop { $0 != first }.prefix(replica.ahead.width))
    replica.ahead.ask(asked)
    return asked
  }

  // MARK: The end

  /// The error for the end of a task, whose trouble is noted.
  func error(of outcome: LogCursor.Outcome) throws -> CloudError {
    switch outcome {
    case .overtaken: return ZoneReplica.moved
    case .trouble(let trouble, let name): return try note(trouble, name).error
    case .disputed(let trouble):
      if let trouble { _ = try note(trouble, .position(trouble.seen)) }
      return disputed
    case .elsewhere: return try replica.elsewhere()?.error ?? ZoneReplica.moved
    case .done, .misled:
      return CloudError(
        .internalError, "the reader of the log of zone \(replica.zone.digits) took a wrong turn",
        remedy: "report this as a fault of Cairn; nothing was changed")
    }
  }

  /// Notes a trouble, with the object that it is about.
  private func note(_ trouble: LogTrouble, _ name: LogCursor.Name?) throws -> LogTrouble {
    var found = trouble
    let key: ObjectKey? =
      switch name {
      case .position(let place): try replica.place(place)
      case .mark: keys[epoch].map { folder.end(of: $0) }
      case nil: nil
      }
    found.object = key?.description
    if found.kind == .held { found.owner = key.flatMap { store.owner(of: $0) } }
    replica.trouble = found
    return found
  }

  /// The error for a log without the inviter's anchor.
  private var disputed: CloudError {
    CloudError(
      .assetNotAvailable,
      "disputed: the log of the share in this container isn't the one that the inviter had "
        + "read, as of its entry \(replica.anchor?.sequence ?? 0)",
      remedy: "tell the inviter; nothing was accepted")
  }
}

/// The signer of the object in a position, and the put of an entry there, to replace that object.
extension LogReader {
  /// The signer of the object at a position of an epoch; nil if nobody signed it.
  func signer(at place: UInt64, epoch: UInt64) throws -> LogCursor.Signer? {
    guard let key = keys[epoch], let bytes = try replica.find(at: folder.place(place, key)).bytes
    else { return nil }
    do {
      let author = try replica.open(bytes, at: place, keys: keys).commit.author
      return LogCursor.Signer(digest: EntryCodec.digest(of: bytes), author: author)
    } catch is EntryRefused {
      // Nobody's entry: spare copies are made for this case.
      return nil
    }
  }

  /// Returns whether a device is revoked in its person's current chain.
  func isRevokedNow(_ author: Author) throws -> Bool {
    if replica.people.hasRevoked(author) { return true }
    do { _ = try replica.people.refresh(author.user) } catch let error as StoreError {
      throw CloudError(error)
    } catch {
      return false
    }
    return replica.people.hasRevoked(author)
  }

  /// Returns whether an entry would replace a present one of another device.
  func displacesOthers(_ bytes: [UInt8], at place: UInt64) throws -> Bool {
    let found = LogEntry(digest: EntryCodec.digest(of: bytes), bytes: bytes)
    guard case .signed(_, let author, let epoch) = content(of: bytes, at: place),
      let other = LogCursor.displaced(try signer(at: place, epoch: epoch), by: author, found)
    else { return false }
    return try !isRevokedNow(other)
  }

  /// Puts an entry from a spare copy into its free position, so that a slow writer does not use it.
  /// An altered entry stays, and the spare copy replaces it for readers.
  /// - Returns: whether the position is no longer free; false if this person cannot put anything
  ///   there.
  func fill(_ place: UInt64, with bytes: [UInt8]) throws -> Bool {
    do {
      guard let key = keys[try EntryCodec.header(of: bytes).epoch] else { return false }
      let name = folder.place(place, key)
      if try replica.find(at: name) == .nothing { _ = try store.puts(name, bytes) }
      return true
    } catch let error as StoreError {
      guard error.isWorthRetrying else { return false }
      throw CloudError(error)
    } catch is EntryProblem {
      return false
    }
  }
}
