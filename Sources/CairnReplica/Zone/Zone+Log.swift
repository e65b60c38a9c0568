import CairnIdentity
import CairnIndex
import CairnStore
public import CairnZone

/// An opened entry of a zone's log, or the reason why it cannot be opened.
public struct LoggedCommit: Hashable, Sendable {
  /// The position in the log.
  public var sequence: UInt64
  /// The key of the object in the container.
  public var object: String?
  /// The signer; nil if it cannot be opened.
  public var author: Author?
  /// The author's clock, in nanoseconds since 1970.
  public var time: Int64
  /// The changes of records.
  public var records: [RecordChange]
  /// The changes of the share, and of the zone as a whole.
  public var share: [ShareChange]
  /// The zone's name, in the first entry.
  public var name: String?
  /// A Boolean value that indicates whether it raises the key epoch.
  public var raisesEpoch: Bool
  /// The restore or rewind that it belongs to.
  public var reversal: ReversalNote?
  /// The reason why it cannot be opened here any more; nil if it can.
  public var refusal: String?
}

extension Zone {
  /// Reads entries of the log back, in order: the replayed ones after the position `sequence`, up
  /// to `limit` positions further. Kept entries are not requested again. Missing entries below a
  /// log start are left out.
  /// - Throws: `CloudError` if an entry must be read from the container, and cannot be.
  public func log(after sequence: UInt64, limit: Int) throws -> [LoggedCommit] {
    let head = header.sequence
    guard sequence < head else { return [] }
    let last = sequence + min(head - sequence, UInt64(max(0, limit)))
    guard last > sequence else { return [] }
    let first = try exclusively { try $0.firstTold }
    guard last >= first else { return [] }
    // One at a time, so that the zone's owner can continue in between.
    return try (max(sequence + 1, first)...last).compactMap { place in
      try exclusively { try $0.isForgotten(place) ? nil : $0.logged(at: place) }
    }
  }

  /// Replays all new entries.
  /// - Returns: false if nothing is left of the log, because its owner may have ended the zone: its
  ///   known state must suffice.
  /// - Throws: `CloudError` if the container cannot be read, or the log is damaged otherwise.
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
  /// The interrupted act that a restore or rewind continues: this device's last entry belongs to
  /// one of the same kind, to the same position, and is not its end.
  /// - Parameter note: The note of the next commit.
  /// - Returns: the position of the act's first entry; nil if this begins one.
  /// - Throws: `CloudError` if the container cannot be read.
  public func act(cutOffBefore note: ReversalNote) throws -> UInt64? {
    let last = try read { view -> UInt64? in
      guard let last = try view.state.log.last(of: view.device) else { return nil }
      return try view.act(at: last) == nil ? nil : last
    }
    guard let last, let before = try log(after: last - 1, limit: 1).first?.reversal, !before.ends,
      before.kind == note.kind, before.place == note.place
    else { return nil }
    return before.first == 0 ? last : before.first
  }
}

extension Zone {
  /// Extends an invitation chain by the replayed entries of the log. Entries that nobody can read
  /// any more are skipped.
  /// - Parameters:
  ///   - introductions: The chain up to `sequence`.
  ///   - sequence: The last entry that was read; afterwards the last existing one.
  /// - Throws: `CloudError` if the container cannot be read.
  public func readIntroductions(
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
  /// The first position of the log that can be reported: below a log start only kept entries.
  fileprivate var firstTold: UInt64 {
    get throws {
      guard let floor = header.floor else { return 1 }
      let kept = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).keptEntries.first()
      }
      return min(kept ?? floor.checkpoint, floor.checkpoint)
    }
  }

  /// Returns whether a position is below a log start, and its entry is not kept here.
  fileprivate func isForgotten(_ place: UInt64) throws -> Bool {
    guard place < header.floor?.checkpoint ?? 0 else { return false }
    return try index.read { db in
      try IndexedZone(db, zone: zone, header: header).keptEntries.bytes(at: place) == nil
    }
  }

  func logged(at sequence: UInt64) throws -> LoggedCommit {
    let (digest, kept) = try index.read { db in
      let state = try IndexedZone(reading: db, zone: zone, known: header)
      return (try state.log.digest(at: sequence), try state.keptEntries.bytes(at: sequence))
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
      // The signature of a replayed entry with the same bytes was checked then.
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
  /// The content of an entry whose signatures were checked before.
  private func reopen(_ bytes: [UInt8], at sequence: UInt64) throws -> Commit {
    do throws(EntryProblem) {
      return try EntryCodec.reopen(bytes, zone: zone, sequence: sequence, keys: keys)
    } catch {
      throw EntryRefused(error.description)
    }
  }
}
