public import CairnStore
import CairnZone

extension ObjectKind {
  /// When a copy of a container takes objects of this kind; nil: never, for they tell of moments.
  var stage: CopyOrder.Stage? {
    switch self {
    case .packs, .parts: .content
    // Entries of logs are believed by the chains of those who signed them.
    case .chain: .row
    case .log, .published: .laterRow
    case .inbox, .join, .copies, .floors, .links, .door: .reference
    case .root: .mark
    case .bells, .wakes, .probes: nil
    }
  }
}

/// Copying a container into another store.
public struct Copying: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// Copies the container into another store: what is missing there, in an order in which the copy
  /// is a container at any moment from its first end on, whatever others write meanwhile. What is
  /// there is never overwritten, and nothing is deleted.
  /// - Parameters:
  ///   - target: where the copy is, or is to be.
  ///   - isChecked: whether what is there already is read on both sides and compared.
  ///   - isCancelled: whether it is to be given up; asked on any thread.
  ///   - progress: told how many bytes of how many are seen to, on any thread.
  /// - Returns: what it came to.
  /// - Throws: `CloudError`, with `.badContainer` if another container stands there; `StoreError`
  ///   if one of the stores can't be used.
  public func copy(
    to target: any ObjectStore, isChecked: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws -> CopyReport {
    guard try Container.root(of: container.store)?.id == container.id else {
      throw CloudError(
        .badContainer, "the container of this home isn't where it was",
        remedy: "mount or restore it; nothing was copied")
    }
    if let there = try Container.root(of: target), there.id != container.id {
      throw CloudError(
        .badContainer, "another container stands there already, \(there.id)",
        remedy: "name another place for the copy")
    }
    let order = CopyOrder(
      stage: { Self.stage(of: $0) }, arrange: { arranged($0) })
    return try StoreCopy(
      from: container.store, to: target, order, isChecked: isChecked, isCancelled: isCancelled,
      progress: progress
    ).run()
  }

  /// What a newer version puts into people's folders is content to this one: better too much than
  /// too little.
  static func stage(of key: ObjectKey) -> CopyOrder.Stage? {
    guard let kind = ObjectKind(key) else {
      return key.description.hasPrefix(ObjectKind.people) ? .content : nil
    }
    return kind.stage
  }

  // MARK: The order of a log

  /// Entries of one chain, or of one zone's log, in their order. Of a zone that this person doesn't
  /// read nobody here can tell it; nor of what can't be read now: that comes last.
  func arranged(_ keys: [ObjectKey]) -> [ObjectKey] {
    guard let first = keys.first, let kind = ObjectKind(first) else { return keys }
    let places = kind == .chain ? places(ofChain: keys) : places(ofLog: keys, kind)
    return keys.sorted { (places[$0] ?? .max, $0) < (places[$1] ?? .max, $1) }
  }

  private func places(ofChain keys: [ObjectKey]) -> [ObjectKey: UInt64] {
    var places: [ObjectKey: UInt64] = [:]
    for key in keys {
      do {
        guard let bytes = try container.store.get(key, upTo: IdentityLog.entryLimit) else {
          continue
        }
        places[key] = try IdentityLog.decode(bytes).1.sequence
      } catch {
        // It isn't an entry, or the copy fails at it, and says why.
      }
    }
    return places
  }

  private func places(ofLog keys: [ObjectKey], _ kind: ObjectKind) -> [ObjectKey: UInt64] {
    let parts = keys[0].description.split(separator: "/")
    do {
      let known = try container.upkeep.zonesToVerify().first { zone in
        switch kind {
        case .log: parts.count == 6 && zone.id.description == parts[3]
        default: zone.author.map { $0.description == parts[1] } ?? false
        }
      }
      guard let zone = known else { return [:] }
      // Up to where it can be read; behind that nobody here can tell.
      do { try zone.pull() } catch is CloudError {}
      var missing = Set(keys)
      var places: [ObjectKey: UInt64] = [:]
      try zone.exclusively { replica in
        // Those that a copy lacks are the last ones.
        var place = replica.header.sequence
        while place > 0, !missing.isEmpty {
          if let key = try replica.place(place), missing.remove(key) != nil { places[key] = place }
          place -= 1
        }
      }
      return places
    } catch {
      // An index that can't be read says nothing of the order, and keeps nothing from being copied.
      return [:]
    }
  }
}
