import CairnZone

/// Puts the changes of a reversal into batches. Each batch is one commit, and leaves a valid zone.
/// Changes that need each other, as in a swap of two names, are in one batch.
struct ReversalOrder<Past: PastTrees> {
  private let reversal: Reversal<Past>
  private var changes: [RecordChange] = []
  private var number: [RecordID: Int] = [:]
  private var needs: [[Int]] = []

  /// The approximate size of one commit: an entry has room for more, and receivers apply it as one.
  private static var mostBytes: Int { 4 << 20 }

  init(_ reversal: Reversal<Past>) throws {
    self.reversal = reversal
    for (id, goal) in reversal.goals.sorted(by: { $0.key < $1.key }) {
      guard let change = reversal.change(id, goal) else { continue }
      number[id] = changes.count
      changes.append(change)
    }
    needs = try changes.map { try self.needs(of: $0) }
  }

  /// Returns the batches, each with at most `most` changes.
  func batches(ofAtMost most: Int) -> [[RecordChange]] {
    var batches: [[RecordChange]] = []
    var (batch, bytes): ([RecordChange], Int) = ([], 0)
    for component in Components.of(changes.indices, needs: { needs[$0] }) {
      let group = component.map { changes[$0] }
      let size = group.reduce(0) { $0 + Self.size(of: $1) }
      let isFull = bytes + size > Self.mostBytes || batch.count + group.count > most
      if isFull, !batch.isEmpty {
        batches.append(batch)
        (batch, bytes) = ([], 0)
      }
      batch += group
      bytes += size
    }
    return batch.isEmpty ? batches : batches + [batch]
  }

  private static func size(of change: RecordChange) -> Int {
    let extended = change.attributes?.extended?.reduce(0) { $0 + $1.key.count + $1.value.count }
    return 200 + (change.content?.chunks.count ?? 0) * 34 + (change.target?.count ?? 0)
      + (change.place?.name.bytes.count ?? 0) + (extended ?? 0)
  }

  private func needs(of change: RecordChange) throws -> [Int] {
    if change.act == .delete {
      let isDirectory = reversal.goals[change.id]?.now?.type == .directory
      return isDirectory ? try reversal.past.children(of: change.id).compactMap { number[$0] } : []
    }
    guard let place = change.place else { return [] }
    var needs: [Int] = []
    if let step = try nearest(above: place.parent) { needs.append(step) }
    if let other = try reversal.past.child(at: place), other != change.id,
      let step = number[other], changes[step].place != nil || changes[step].act == .delete
    {
      needs.append(step)
    }
    return needs
  }

  /// Returns the next directory upward, itself included, that is restored or moved: once it and its
  /// parents are done, nothing can be put into itself.
  private func nearest(above directory: RecordID) throws -> Int? {
    var (next, left) = (directory, Ascent.most)
    while next != .root, left > 0 {
      if let step = number[next], changes[step].place != nil { return step }
      guard let above = try reversal.after(next)?.place else { return nil }
      (next, left) = (above.parent, left - 1)
    }
    return nil
  }
}
