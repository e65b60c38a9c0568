import CairnIdentity
import CairnStore
import CairnZone

/// The knowledge about a log's next positions from entries behind them, by the digests that these
/// name: it counts, whatever object is in the position.
struct ExpectedEntries {
  /// The digest of the entry at each position.
  var digests: [UInt64: Bytes32] = [:]
  /// The bytes of the lowest of them, and of those that were read from a spare copy.
  var entries: [UInt64: [UInt8]] = [:]
  /// The positions without the entry itself: it was found as a spare copy.
  var copied: Set<UInt64> = []

  /// Returns whether the entry for a position is known.
  func tells(_ sequence: UInt64) -> Bool { digests[sequence] != nil }

  /// Adds the knowledge of another value.
  mutating func take(_ other: ExpectedEntries) {
    digests.merge(other.digests) { $1 }
    entries.merge(other.entries) { $1 }
    copied.formUnion(other.copied)
  }

  /// Adds the entry of one position.
  mutating func take(_ entry: [UInt8], at sequence: UInt64) {
    digests[sequence] = EntryCodec.digest(of: entry)
    entries[sequence] = entry
  }

  /// Forgets positions that were read.
  mutating func drop(upTo sequence: UInt64) {
    for place in digests.keys where place <= sequence {
      (digests[place], entries[place]) = (nil, nil)
      copied.remove(place)
    }
  }
}

/// The way from a proof of a log's continuation back to its known part: through positions and spare
/// copies, each entry naming the one before it. It decides which proofs count; it owns nothing.
struct LogRecovery {
  /// The number of positions that are checked behind one without a valid entry.
  static let lookAhead: UInt64 = 9
  /// The number of bytes of entries that are kept for the lowest positions; of the others only
  /// digests are kept.
  private static let kept = 16 << 20

  let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }

  /// The result for a position without a valid entry.
  enum Outcome { case found, missing, nothing }

  /// A position, and the digest that its entry must have.
  struct Proof {
    var sequence: UInt64
    var digest: Bytes32
    /// A Boolean value that indicates whether any object gives way to the entries that lead there.
    var isTrusted = false
  }

  /// Finds the entries for a position without a valid one, so that replay can continue. An object
  /// with a device's signature gives way only to another entry of the same device: nobody else
  /// could have replaced it.
  /// - Returns: whether they were found, are missing, or nothing says that there are any.
  /// - Throws: `CloudError` if the container cannot be read.
  func goRound(_ stopped: ZoneReplica.Stopped) throws -> Outcome {
    guard header.kind == .owned, !replica.course.tells(stopped.sequence) else { return .nothing }
    let proofs = try self.proofs(behind: stopped.sequence)
    if proofs.isEmpty {
      // Only to report a problem with the end-of-epoch record.
      _ = try EpochEndRecords(replica).end()
      return .nothing
    }
    var isDenied = false
    for proof in proofs {
      switch try follow(proof, stopped) {
      case .found: return .found
      case .nothing: isDenied = true
      case .missing: continue
      }
    }
    return isDenied ? .nothing : .missing
  }

  /// The state of the epoch in force: no record of its end; an object in place of the record; or
  /// the next entries are known by it.
  enum End { case open, marked, followed }

  /// Reads an ended epoch from the entry that ended it, as its record says. Holders of its key may
  /// have replaced their entries since.
  /// - Throws: `CloudError` if the container cannot be read.
  func followEnd() throws -> End {
    guard header.kind == .owned, try !EpochEndRecords(replica).isFree() else { return .open }
    // Another object there is not ignored: it is reported at the end of the log.
    guard let end = try EpochEndRecords(replica).end(holds: false) else { return .marked }
    guard !replica.course.tells(header.sequence + 1) else { return .followed }
    let next = ZoneReplica.Stopped(sequence: header.sequence + 1, reason: "It isn't read yet.")
    do {
      guard try adopt(proof(of: end), from: next.sequence) == .found else { return .marked }
    } catch let problem as EntryProblem where !problem.isFinal {
      return .marked
    }
    // The raise is valid, whatever a holder of the old key puts behind it.
    replica.course.take(end.entry, at: end.sequence)
    return .followed
  }

  /// Returns whether a signed entry, a record or an anchor proves that the log continues behind a
  /// position.
  func isProven(behind sequence: UInt64) throws -> Bool {
    if try !standing(behind: sequence).isEmpty || isAnchored(at: sequence) { return true }
    return try EpochEndRecords(replica).end().map { $0.sequence > sequence } ?? false
  }

  /// Returns a valid entry that raises the epoch although an entry behind it, under the key of the
  /// ended epoch, names another one: any writer could put such an entry at any time. The raise is
  /// valid in three cases. It is the owner's, and then nobody else counts. Its record exists, which
  /// was put after its author had checked the position behind. Or the inviter's anchor confirms the
  /// log; without the anchor, nothing of the log is accepted.
  func standingRaise(_ stopped: ZoneReplica.Stopped) throws -> [UInt8]? {
    guard let other = stopped.contradictor, let commit = stopped.commit, commit.nextKey != nil,
      let bytes = stopped.found.bytes
    else { return nil }
    let isOwners =
      commit.author.user == header.owner && other != header.owner
      && !replica.people.hasRevoked(commit.author)
    if isOwners || isAnchored(at: stopped.sequence + 1) { return bytes }
    return try EpochEndRecords(replica).end(holds: false)?.entry == bytes ? bytes : nil
  }

  // MARK: What proves

  /// The proofs of a log's continuation at a position, the strongest first: the inviter's anchor,
  /// the end of the epoch, later entries.
  private func proofs(behind sequence: UInt64) throws -> [Proof] {
    var found: [Proof] = []
    if let anchor = replica.anchor, isAnchored(at: sequence) {
      found.append(Proof(sequence: anchor.sequence, digest: anchor.digest, isTrusted: true))
    }
    if let end = try EpochEndRecords(replica).end(holds: false), end.sequence > sequence {
      found.append(proof(of: end))
    }
    return found + (try standing(behind: sequence))
  }

  private func isAnchored(at sequence: UInt64) -> Bool {
    replica.anchor.map { $0.sequence >= sequence } ?? false
  }

  /// All objects give way to an end of the epoch by the owner.
  private func proof(of end: EpochEndRecords.End) -> Proof {
    let owner = header.genesis == nil ? replica.folder.founder : header.owner
    let isOwners = end.author.user == owner && !replica.people.hasRevoked(end.author)
    return Proof(sequence: end.sequence - 1, digest: end.previous, isTrusted: isOwners)
  }

  /// The entries behind a position that name their predecessors, the nearest first; those of
  /// revoked devices are last.
  private func standing(behind sequence: UInt64) throws -> [Proof] {
    let keys = replica.keys
    let later = keys.all.reversed().filter { $0.epoch >= max(header.epoch, 1) }
    var (found, late): ([Proof], [Proof]) = ([], [])
    for place in sequence + 1...sequence + Self.lookAhead {
      for key in later {
        let name = replica.folder.place(place, key)
        foresee(name) {
          (place...sequence + Self.lookAhead).flatMap { place in
            later.map { replica.folder.place(place, $0) }
          }
        }
        guard let bytes = try replica.find(at: name).bytes else { continue }
        do {
          let commit = try replica.open(bytes, at: place, keys: keys).commit
          guard commit.epoch == key.epoch, header.believes(commit.author) else { continue }
          let proof = Proof(sequence: place - 1, digest: commit.previous)
          if replica.people.hasRevoked(commit.author) {
            late.append(proof)
          } else {
            found.append(proof)
          }
        } catch is EntryRefused {
          continue
        }
      }
    }
    return found + late
  }

  // MARK: The way back

  private func follow(_ proof: Proof, _ stopped: ZoneReplica.Stopped) throws -> Outcome {
    do {
      let outcome = try adopt(proof, from: stopped.sequence)
      return outcome == .missing && stopped.commit != nil ? .nothing : outcome
    } catch let problem as EntryProblem where !problem.isFinal {
      // An existing entry that only a newer Cairn can read is not missing.
      let stands = try stopped.holder != .rubbish && replica.find(stopped.sequence) != .nothing
      return stands ? .nothing : .missing
    }
  }

  /// Adopts the entries that lead from the known part to a proof.
  private func adopt(_ proof: Proof, from sequence: UInt64) throws -> Outcome {
    let way: ExpectedEntries
    switch try course(to: proof) {
    case .leads(let found): way = found
    case .denied: return .nothing
    case .nowhere: return .missing
    }
    guard way.tells(sequence) || proof.sequence < sequence else { return .missing }
    for place in way.copied.sorted() {
      if let bytes = way.entries[place], try !fill(place, with: bytes) { return .missing }
    }
    replica.course.take(way)
    return .found
  }

  /// The result of the way back from a proof: to the known part; nowhere, because an entry is
  /// missing; or denied, because an entry would replace one with another device's signature.
  private enum Way { case leads(ExpectedEntries), denied, nowhere }

  /// The entries from the known part to the proven one, from their positions or from spare copies.
  /// Throws `EntryProblem` if a newer Cairn wrote one.
  private func course(to proof: Proof) throws -> Way {
    var course = ExpectedEntries()
    var (place, wanted) = (proof.sequence, proof.digest)
    var isDenied = false
    var (top, size) = (proof.sequence, 0)
    // Almost always they all belong to the epoch in force.
    let key = replica.keys[max(header.epoch, 1)]
    var asked: [ObjectKey] = []
    defer { replica.ahead.drop(asked) }
    while place > header.sequence {
      if let key {
        asked += foresee(replica.folder.place(place, key)) {
          // A record or an anchor may name any position: even their number may not fit into an Int.
          let few = min(place - header.sequence, UInt64(replica.ahead.width))
          return (place - few + 1...place).reversed().map { replica.folder.place($0, key) }
        }
      }
      let (bytes, isCopy) = try find(wanted, at: place)
      guard let bytes else { return .nowhere }
      if isCopy, !proof.isTrusted { isDenied = try isDenied || displacesOthers(bytes, at: place) }
      // A long way is not repeated in vain at each check.
      if isDenied, proof.sequence - place > Self.lookAhead { return .denied }
      course.take(bytes, at: place)
      if isCopy { course.copied.insert(place) }
      size += bytes.count
      while size > Self.kept, top > place {
        size -= course.entries.removeValue(forKey: top)?.count ?? 0
        top -= 1
      }
      do throws(EntryProblem) {
        // Its signature is checked during replay.
        wanted = try EntryCodec.reopen(
          bytes, zone: replica.zone, sequence: place, keys: replica.keys
        ).previous
      } catch {
        guard error.isFinal else { throw error }
        return .nowhere
      }
      place -= 1
    }
    guard wanted == header.head else { return .nowhere }
    return isDenied ? .denied : .leads(course)
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

  private func find(
    _ digest: Bytes32, at sequence: UInt64
  ) throws -> (bytes: [UInt8]?, isCopy: Bool) {
    if let bytes = try replica.standing(digest, at: sequence) { return (bytes, false) }
    return (try replica.entry(with: digest, at: sequence), true)
  }

  /// Returns whether an entry would replace an existing one of another device, which only its own
  /// device could have replaced. Entries of revoked devices give way: a thief may fill gaps that
  /// others made.
  func displacesOthers(_ bytes: [UInt8], at place: UInt64) throws -> Bool {
    let keys = replica.keys
    do {
      let epoch = try EntryCodec.header(of: bytes).epoch
      guard let key = keys[epoch],
        let standing = try replica.find(at: replica.folder.place(place, key)).bytes,
        standing != bytes
      else { return false }
      let theirs = try replica.open(standing, at: place, keys: keys).commit.author
      let ours = try EntryCodec.reopen(bytes, zone: replica.zone, sequence: place, keys: keys)
      return try theirs != ours.author && !isRevokedNow(theirs)
    } catch is EntryProblem {
      return false
    } catch is EntryRefused {
      // Nobody's entry: spare copies are made for this case.
      return false
    }
  }

  /// Returns whether a device is revoked in its person's current chain.
  private func isRevokedNow(_ author: Author) throws -> Bool {
    if replica.people.hasRevoked(author) { return true }
    do { _ = try replica.people.refresh(author.user) } catch let error as StoreError {
      throw CloudError(error)
    } catch {
      return false
    }
    return replica.people.hasRevoked(author)
  }

  /// Puts an entry from a spare copy into its free position, so that a slow writer does not use it.
  /// An altered entry stays, and the spare copy replaces it for readers.
  /// - Returns: whether the position is no longer free; false if this person cannot put anything
  ///   there.
  func fill(_ place: UInt64, with bytes: [UInt8]) throws -> Bool {
    do {
      guard let key = replica.keys[try EntryCodec.header(of: bytes).epoch] else { return false }
      let name = replica.folder.place(place, key)
      if try replica.find(at: name) == .nothing { _ = try replica.store.puts(name, bytes) }
      return true
    } catch let error as StoreError {
      guard error.isWorthRetrying else { return false }
      throw CloudError(error)
    } catch is EntryProblem {
      return false
    }
  }
}
