import CairnIndex
import CairnStore
public import CairnZone

/// An entry of a zone's log, opened: who changed what, unless it can't be opened.
public struct LoggedCommit: Hashable, Sendable {
  /// Its place in the log.
  public var sequence: UInt64
  /// The key of the object in the container.
  public var object: String?
  /// Who signed it; nil if it can't be opened.
  public var author: Author?
  /// The author's clock, in nanoseconds since 1970.
  public var time: Int64
  /// The changes of records.
  public var records: [RecordChange]
  /// The changes of the share, and of the zone as a whole.
  public var share: [ShareChange]
  /// The zone's name, in the first entry.
  public var name: String?
  /// Whether it raises the key epoch.
  public var raisesEpoch: Bool
  /// The restore or rewind that it is a part of.
  public var reversal: ReversalNote?
  /// Why it can't be opened here any more; nil if it can.
  public var refusal: String?
}

extension Zone {
  /// Reads entries of the log back, in their order: those that are folded here, after the place
  /// `sequence`, up to `limit` places further. What this device has kept of them isn't asked for
  /// again; what it hasn't kept, and stood below a floor, is left out.
  /// - Throws: `CloudError` if an entry has to be read from the container, and can't be.
  public func log(after sequence: UInt64, limit: Int) throws -> [LoggedCommit] {
    let head = header.sequence
    guard sequence < head else { return [] }
    let last = sequence + min(head - sequence, UInt64(max(0, limit)))
    guard last > sequence else { return [] }
    let first = try exclusively { try $0.firstTold }
    guard last >= first else { return [] }
    // One at a time, so that the zone's owner can go on in between.
    return try (max(sequence + 1, first)...last).compactMap { place in
      try exclusively { try $0.isForgotten(place) ? nil : $0.logged(at: place) }
    }
  }

  /// Folds everything that is new.
  /// - Returns: false if nothing is left of the log, since its owner may have ended the zone: what
  ///   is known of it must do.
  /// - Throws: `CloudError` if the container can't be read or the log is damaged otherwise.
  public func isToBeRead() throws -> Bool {
    do {
      try pull()
      return true
    } catch let error as CloudError {
      guard trouble?.mayBeEnded == true else { throw error }
      return false
    }
  }
}

extension Zone {
  /// The act that a restore or rewind goes on with, since it was asked for before and cut off: the
  /// last that this device wrote is a part of one of the same kind, to the same place, and not its
  /// end.
  /// - Parameter note: what the next commit is going to say.
  /// - Returns: the place of the act's first entry; nil if this begins one.
  /// - Throws: `CloudError` if the container can't be read.
  public func act(cutOffBefore note: ReversalNote) throws -> UInt64? {
    let last = try read { view -> UInt64? in
      guard let last = try view.state.lastEntry(of: view.device) else { return nil }
      return try view.act(at: last) == nil ? nil : last
    }
    guard let last, let before = try log(after: last - 1, limit: 1).first?.reversal, !before.ends,
      before.kind == note.kind, before.place == note.place
    else { return nil }
    return before.first == 0 ? last : before.first
  }
}

extension Zone {
  /// Reads on in the log, as far as it is folded here, through which devices people came into the
  /// share. An entry that nobody can read any more says nothing.
  /// - Parameters:
  ///   - introductions: what the entries up to `sequence` say.
  ///   - sequence: the last entry that was read; then the last that there is.
  /// - Throws: `CloudError` if the container can't be read.
  func readIntroductions(
    into introductions: inout Introductions, after sequence: inout UInt64
  ) throws {
    sequence = max(sequence, try exclusively { try $0.firstTold } - 1)
    while sequence < header.sequence {
      do {
        for commit in try log(after: sequence, limit: 1) where commit.refusal == nil {
          if let author = commit.author { introductions.take(commit.share, by: author) }
        }
      } catch let error as CloudError {
        guard !error.isWorthRetrying else { throw error }
      }
      sequence += 1
    }
  }
}

extension ZoneReplica {
  /// The first place of the log that can be told of: below a floor only what is kept here.
  fileprivate var firstTold: UInt64 {
    get throws {
      guard let floor = header.floor else { return 1 }
      let kept = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).firstKept()
      }
      return min(kept ?? floor.checkpoint, floor.checkpoint)
    }
  }

  /// Whether a place is below a floor, and its entry isn't kept here.
  fileprivate func isForgotten(_ place: UInt64) throws -> Bool {
    guard place < header.floor?.checkpoint ?? 0 else { return false }
    return try index.read { db in
      try IndexedZone(db, zone: zone, header: header).kept(at: place) == nil
    }
  }

  func logged(at sequence: UInt64) throws -> LoggedCommit {
    let (digest, kept) = try index.read { db in
      let state = try IndexedZone(reading: db, zone: zone, known: header)
      return (try state.digest(at: sequence), try state.kept(at: sequence))
    }
    let object = try place(sequence)?.description
    guard
      let bytes = try kept ?? digest.flatMap({ try entry(with: $0, at: sequence) })
        ?? fetch(sequence)
    else {
      throw CloudError(
        .assetNotAvailable, "entry \(sequence) of the log of zone \(zone.digits) is missing",
        remedy: "run `cairn verify`")
    }
    do {
      // Of what was folded here, byte by byte, it was checked then who signed it.
      let commit =
        try EntryCodec.digest(of: bytes) == digest
        ? reopen(bytes, at: sequence) : open(bytes, at: sequence, keys: keys).commit
      return LoggedCommit(
        sequence: sequence, object: object, author: commit.author, time: commit.time,
        records: commit.records,
        share: commit.share, name: commit.genesis?.name, raisesEpoch: commit.nextKey != nil,
        reversal: commit.reversal)
    } catch let refused as EntryRefused {
      return LoggedCommit(
        sequence: sequence, object: object, author: nil, time: 0, records: [], share: [], name: nil,
        raisesEpoch: false, refusal: refused.reason)
    }
  }
}

extension ZoneReplica {
  /// What stands in an entry whose signatures were checked before.
  private func reopen(_ bytes: [UInt8], at sequence: UInt64) throws -> Commit {
    do throws(EntryProblem) {
      return try EntryCodec.reopen(bytes, zone: zone, sequence: sequence, keys: keys)
    } catch {
      throw EntryRefused(error.description)
    }
  }
}
