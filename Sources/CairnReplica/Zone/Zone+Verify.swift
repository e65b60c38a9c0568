import CairnIdentity
import CairnIndex
import CairnZone

extension Zone {
  /// Reads everything back: each entry of the log, with its signature and its author's rights, each
  /// chunk of content, and the index compared with the log. Nothing is changed.
  /// - Returns: the damages.
  /// - Throws: `CloudError` if the container cannot be read.
  public func verify(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> [Damage] {
    if let trouble, trouble.mayBeEnded {
      // Not one damage for each entry: it is one question for the person.
      return [Damage(.entry, key: folder.log, reason: trouble.message, remedy: trouble.remedy)]
    }
    let verifier = ZoneVerifier(folder: folder, store: store, index: index)
    var damages = try verifier.verify(progress)
    if let trouble, let object = trouble.object {
      damages.append(
        Damage(
          trouble.kind == .held ? .held : .entry, key: object,
          reason: trouble.reason.map { "holds the place of entry \(trouble.seen): \($0)" }
            ?? "is missing or altered, though later entries are there",
          sequence: trouble.seen))
    } else if let trouble, damages.isEmpty {
      // The log is stopped, however much of it can be read: that is never in order.
      damages.append(
        Damage(
          .entry, key: folder.log, reason: trouble.message, sequence: trouble.agreed + 1,
          remedy: trouble.remedy))
    }
    // A log that cannot be replayed is reported entry by entry.
    let isWhole = damages.allSatisfy { $0.kind != .entry }
    guard trouble == nil, isWhole else { return damages }
    return try damages + verifier.compare(with: refolded(upTo: header.sequence))
  }

  /// The index from the log, up to a position. The zone's owner can continue meanwhile.
  private func refolded(upTo last: UInt64) throws -> IndexFile {
    let copy = try exclusively { replica in
      try Zone(id, scope: scope, store: store, replica: replica.blank(), isReadOnly: true)
    }
    try copy.exclusively { (replica: ZoneReplica) in _ = try replica.pull(upTo: last) }
    return copy.index
  }
}
