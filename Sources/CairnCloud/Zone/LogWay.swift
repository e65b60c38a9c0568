import CairnStore
import CairnZone

/// What is known of a log's next places from what stands behind them, by the digests that entries
/// name: it counts there, whatever stands in the place.
struct LogCourse {
  /// The digest of the entry of each place.
  var digests: [UInt64: Bytes32] = [:]
  /// The bytes of the lowest of them, and of those that a copy was read of.
  var entries: [UInt64: [UInt8]] = [:]
  /// The places that don't hold them: they were found among copies.
  var copied: Set<UInt64> = []

  /// Whether it tells what belongs at a place.
  func tells(_ sequence: UInt64) -> Bool { digests[sequence] != nil }

  /// Adds what another one tells.
  mutating func take(_ other: LogCourse) {
    digests.merge(other.digests) { $1 }
    entries.merge(other.entries) { $1 }
    copied.formUnion(other.copied)
  }

  /// Adds the entry of one place.
  mutating func take(_ entry: [UInt8], at sequence: UInt64) {
    digests[sequence] = EntryCodec.digest(of: entry)
    entries[sequence] = entry
  }

  /// Forgets what was read by now.
  mutating func drop(upTo sequence: UInt64) {
    for place in digests.keys where place <= sequence {
      (digests[place], entries[place]) = (nil, nil)
      copied.remove(place)
    }
  }
}

/// The way from what proves how a log goes on back to what was read of it: through places and
/// copies, each entry naming the one before it. It decides which proofs count; it owns nothing.
struct LogWay {
  /// How many places are looked at behind one that holds no valid entry.
  static let lookAhead: UInt64 = 9
  /// Of the lowest places so many bytes of entries are kept, and of the others the digests alone.
  private static let kept = 16 << 20

  let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }

  /// What is to be had for a place where no valid entry stands.
  enum Outcome { case found, missing, nothing }

  /// A place, and the digest that the entry there must have.
  struct Proof {
    var sequence: UInt64
    var digest: Bytes32
    /// Whether everything that stands gives way to the entries that lead there.
    var isTrusted = false
  }

  /// Finds the entries that belong at a place where no valid one stands, so that the fold can go
  /// on with them. What a device has signed gives way only to another entry by the same device:
  /// nobody else could have exchanged it.
  /// - Returns: whether they were found, or are missing, or nothing says that there are any.
  /// - Throws: `CloudError` if the container can't be read.
  func goRound(_ stopped: ZoneReplica.Stopped) throws -> Outcome {
    guard header.kind == .owned, !replica.course.tells(stopped.sequence) else { return .nothing }
    let proofs = try self.proofs(behind: stopped.sequence)
    if proofs.isEmpty {
      // Only to say what is wrong with the mark, if something is.
      _ = try EpochMarks(replica).end()
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

  /// How the epoch in force stands: nothing marks its end; something stands where that would; and
  /// what belongs in the next places is known by that.
  enum End { case open, marked, followed }

  /// An epoch that is over is read by the entry that ended it, as its mark tells: whoever had its
  /// key may have exchanged, since, what they wrote in it.
  /// - Throws: `CloudError` if the container can't be read.
  func followEnd() throws -> End {
    guard header.kind == .owned, try !EpochMarks(replica).isFree() else { return .open }
    // What stands there and marks no end isn't nothing: it is told of where the log ends.
    guard let end = try EpochMarks(replica).end(holds: false) else { return .marked }
    guard !replica.course.tells(header.sequence + 1) else { return .followed }
    let next = ZoneReplica.Stopped(sequence: header.sequence + 1, reason: "It isn't read yet.")
    do {
      guard try adopt(proof(of: end), from: next.sequence) == .found else { return .marked }
    } catch let problem as EntryProblem where !problem.isFinal {
      return .marked
    }
    // It stands, whatever somebody with the old key puts behind it.
    replica.course.take(end.entry, at: end.sequence)
    return .followed
  }

  /// Whether a signed entry, the mark or an anchor tells that the log goes on behind a place.
  func isProven(behind sequence: UInt64) throws -> Bool {
    if try !standing(behind: sequence).isEmpty || isAnchored(at: sequence) { return true }
    return try EpochMarks(replica).end().map { $0.sequence > sequence } ?? false
  }

  /// A valid entry that raises the epoch, though somebody put one behind it, under the key of the
  /// epoch that is over, that names another: whoever may write could do so at any time. It stands
  /// if it is the owner's, and nobody else is heard against them; if its mark stands, which was put
  /// after its author had looked behind it; or if whoever let this person in says how the log goes
  /// on, and if it doesn't come by that, nothing of it is accepted.
  func standingRaise(_ stopped: ZoneReplica.Stopped) throws -> [UInt8]? {
    guard let other = stopped.contradictor, let commit = stopped.commit, commit.nextKey != nil,
      let bytes = stopped.found.bytes
    else { return nil }
    let isOwners =
      commit.author.user == header.owner && other != header.owner
      && !replica.people.hasRevoked(commit.author)
    if isOwners || isAnchored(at: stopped.sequence + 1) { return bytes }
    return try EpochMarks(replica).end(holds: false)?.entry == bytes ? bytes : nil
  }

  // MARK: What proves

  /// What proves how the log goes on at a place, what counts more first: what whoever let this
  /// person in said of it, the end of the epoch, entries that stand further on.
  private func proofs(behind sequence: UInt64) throws -> [Proof] {
    var found: [Proof] = []
    if let anchor = replica.anchor, isAnchored(at: sequence) {
      found.append(Proof(sequence: anchor.sequence, digest: anchor.digest, isTrusted: true))
    }
    if let end = try EpochMarks(replica).end(holds: false), end.sequence > sequence {
      found.append(proof(of: end))
    }
    return found + (try standing(behind: sequence))
  }

  private func isAnchored(at sequence: UInt64) -> Bool {
    replica.anchor.map { $0.sequence >= sequence } ?? false
  }

  /// Before what the owner ended an epoch with, what all others put into it gives way.
  private func proof(of end: EpochMarks.End) -> Proof {
    let owner = header.genesis == nil ? replica.folder.founder : header.owner
    let isOwners = end.author.user == owner && !replica.people.hasRevoked(end.author)
    return Proof(sequence: end.sequence - 1, digest: end.previous, isTrusted: isOwners)
  }

  /// The entries that stand in the places behind one and name the one before them, the nearest
  /// first; those of devices that were revoked since come last.
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
      // What only a newer Cairn can read isn't missing where it stands.
      let stands = try stopped.holder != .rubbish && replica.find(stopped.sequence) != .nothing
      return stands ? .nothing : .missing
    }
  }

  /// Takes the entries that lead from what is folded to a proof for the log's.
  private func adopt(_ proof: Proof, from sequence: UInt64) throws -> Outcome {
    let way: LogCourse
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

  /// Where the way back from a proof leads: to what is folded; nowhere, for want of an entry; or it
  /// is denied, since one would take the place of what another device has signed.
  private enum Way { case leads(LogCourse), denied, nowhere }

  /// The entries that lead from what is folded to the one that is proven, from their places or from
  /// copies. Throws `EntryProblem` if a newer Cairn wrote one.
  private func course(to proof: Proof) throws -> Way {
    var course = LogCourse()
    var (place, wanted) = (proof.sequence, proof.digest)
    var isDenied = false
    var (top, size) = (proof.sequence, 0)
    // Nearly always they are all of the epoch in force.
    let key = replica.keys[max(header.epoch, 1)]
    var asked: [ObjectKey] = []
    defer { replica.ahead.drop(asked) }
    while place > header.sequence {
      if let key {
        asked += foresee(replica.folder.place(place, key)) {
          // A mark or an anchor may name any place: not even their number fits into an Int.
          let few = min(place - header.sequence, UInt64(replica.ahead.width))
          return (place - few + 1...place).reversed().map { replica.folder.place($0, key) }
        }
      }
      let (bytes, isCopy) = try find(wanted, at: place)
      guard let bytes else { return .nowhere }
      if isCopy, !proof.isTrusted { isDenied = try isDenied || displacesOthers(bytes, at: place) }
      // A long way isn't gone in vain at each look.
      if isDenied, proof.sequence - place > Self.lookAhead { return .denied }
      course.take(bytes, at: place)
      if isCopy { course.copied.insert(place) }
      size += bytes.count
      while size > Self.kept, top > place {
        size -= course.entries.removeValue(forKey: top)?.count ?? 0
        top -= 1
      }
      do throws(EntryProblem) {
        // Who signed it is checked when it is folded.
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

  /// Has a flight ask for what stands under several names, beginning with one, if that isn't known.
  /// - Returns: what was asked for.
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

  /// Whether an entry would take the place of one that stands and is another device's: only its own
  /// device could have exchanged it. What a device put there that its person has revoked since
  /// gives way: its thief may fill with it what others took away.
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
      // Nobody's entry: that is what copies are for.
      return false
    }
  }

  /// Whether its person has revoked a device, as their chain says now.
  private func isRevokedNow(_ author: Author) throws -> Bool {
    if replica.people.hasRevoked(author) { return true }
    do { _ = try replica.people.refresh(author.user) } catch let error as StoreError {
      throw CloudError(error)
    } catch {
      return false
    }
    return replica.people.hasRevoked(author)
  }

  /// Puts an entry that copies tell of into its place where that is free: a slow writer, who looked
  /// before, must not fall into it. What stands there altered, a copy stands in for.
  /// - Returns: whether the place isn't free any more; false if this person can't put anything
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
