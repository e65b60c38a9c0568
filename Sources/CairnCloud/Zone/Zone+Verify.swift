import CairnIndex
import CairnZone

extension Zone {
  /// Reads everything back: each entry of the log, its signature and its author's right, each chunk
  /// of content, and whether the index is what the log makes of it. Nothing is changed.
  /// - Returns: what isn't as it must be.
  /// - Throws: `CloudError` if the container can't be read.
  public func verify(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> [Damage] {
    if let trouble, trouble.mayBeEnded {
      // Not one damage for each entry: it is one question, and the person's to answer.
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
      // It is stopped, whatever can be read of it: that is never in order.
      damages.append(
        Damage(
          .entry, key: folder.log, reason: trouble.message, sequence: trouble.agreed + 1,
          remedy: trouble.remedy))
    }
    // A log that can't be folded is told of entry by entry.
    let isWhole = damages.allSatisfy { $0.kind != .entry }
    guard trouble == nil, isWhole else { return damages }
    return try damages + verifier.compare(with: refolded(upTo: header.sequence))
  }

  /// The index that the log makes, up to a place. The zone's owner can go on meanwhile.
  private func refolded(upTo last: UInt64) throws -> IndexFile {
    let copy = try exclusively { replica in
      try Zone(id, scope: scope, store: store, replica: replica.blank(), isReadOnly: true)
    }
    try copy.exclusively { (replica: ZoneReplica) in _ = try replica.pull(upTo: last) }
    return copy.index
  }
}
