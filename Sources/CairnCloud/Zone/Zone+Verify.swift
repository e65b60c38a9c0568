import CairnZone

extension Zone {
  /// Reads everything back: each entry of the log, its signature and its author's right, each chunk
  /// of content, and whether the index is what the log makes of it. Nothing is changed.
  /// - Returns: what isn't as it must be.
  /// - Throws: `CloudError` if the container can't be read.
  public func verify(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> [Damage] {
    let verifier = ZoneVerifier(zone: id, store: store, index: index)
    let damages = try verifier.verify(progress)
    // A log that can't be folded is told of entry by entry.
    let isWhole = damages.allSatisfy { $0.sequence == nil || $0.reason.hasPrefix("has no effect") }
    guard trouble == nil, isWhole else { return damages }
    return try damages + verifier.compare(with: refolded(upTo: header.sequence))
  }

  /// The index that the log makes, up to a place. The zone's owner can go on meanwhile.
  private func refolded(upTo last: UInt64) throws -> IndexFile {
    let copy = try exclusively { replica in
      try Zone(id, scope: scope, store: store, replica: replica.blank(), isReadOnly: true)
    }
    try copy.exclusively { (replica: ZoneReplica) in
      replica.isPatient = false
      _ = try replica.pull(upTo: last)
    }
    return copy.index
  }
}
