import CairnIdentity
import CairnReplica
public import CairnStore
import CairnWire
import CairnZone

extension ObjectKind {
  /// The stage at which a copy of a container includes objects of this kind; nil: never, because
  /// they are temporary.
  var stage: CopyOrder.Stage? {
    switch self {
    case .packs, .parts: .content
    // The chains of their signers verify entries of logs.
    case .chain: .row
    case .log, .published: .laterRow
    case .inbox, .join, .drops, .copies, .floors, .links, .door: .reference
    case .root: .mark
    case .bells, .wakes, .presence, .probes: nil
    }
  }
}

/// The copying of a container into another store.
///
/// It uses these parts of the container: `id`, `store`, `upkeep`.
public struct Copying: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  /// Copies the container into another store: the missing objects, in an order in which the copy is
  /// a valid container at any moment after its first completion, whatever others write meanwhile.
  /// Existing objects are never overwritten, and nothing is deleted.
  /// - Parameters:
  ///   - target: The store of the copy.
  ///   - isChecked: Whether existing objects are read on both sides and compared.
  ///   - isCancelled: Whether to stop; called on any thread.
  ///   - progress: Receives the finished and the total bytes, on any thread.
  /// - Returns: the result.
  /// - Throws: `CloudError`, with `.badContainer` if another container is there; `StoreError` if
  ///   one of the stores cannot be used.
  public func copy(
    to target: any ObjectStore, isChecked: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws -> CopyReport {
    guard try ContainerFile.root(of: container.store)?.id == container.id else {
      throw CloudError(
        .badContainer, "the container of this home isn't where it was",
        remedy: "mount or restore it; nothing was copied")
    }
    if let there = try ContainerFile.root(of: target), there.id != container.id {
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

  /// Objects of a newer version in people's folders count as content: better too much than too
  /// little.
  static func stage(of key: ObjectKey) -> CopyOrder.Stage? {
    guard let kind = ObjectKind(key) else {
      return key.description.hasPrefix(ObjectKind.people) ? .content : nil
    }
    return kind.stage
  }

  // MARK: The order of a log

  /// Sorts entries of one chain, or of one zone's log. For a zone that this person does not read,
  /// the order is unknown here. Unreadable entries come last.
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
        // It is no entry, or the copy fails there and reports why.
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
      // As far as it can be read; nobody here knows the order behind that.
      do { try zone.pull() } catch is CloudError {}
      var missing = Set(keys)
      var places: [ObjectKey: UInt64] = [:]
      try zone.exclusively { replica in
        // A copy lacks the last ones.
        var place = replica.header.sequence
        while place > 0, !missing.isEmpty {
          if let key = try replica.place(place), missing.remove(key) != nil { places[key] = place }
          place -= 1
        }
      }
      return places
    } catch {
      // An unreadable index knows no order, and does not prevent copying.
      return [:]
    }
  }
}
