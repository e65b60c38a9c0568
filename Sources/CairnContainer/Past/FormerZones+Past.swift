import CairnIdentity
import CairnReplica
public import CairnZone

extension FormerZones {
  /// Returns the present and past of a zone, with the past of its records in former zones.
  /// - Parameter zone: A zone of this person.
  /// - Returns: The joined past, for reading.
  /// - Throws: `CloudError` if a former zone is damaged. If the container can't be used now, the
  ///   known part counts.
  public func past(of zone: Zone) throws -> JoinedPast {
    var nodes = [JoinedPast.Origin(zone: zone, links: [], parent: 0)]
    var seen: Set<ZoneID> = [zone.id]
    var next = 0
    while next < nodes.count, zone.scope != .public {
      let links = Dictionary(grouping: try of(nodes[next].zone.id), by: \.zone)
      for (id, links) in links.sorted(by: { $0.key < $1.key }) where seen.insert(id).inserted {
        guard nodes.count < JoinedPast.most, let former = try container.zone(id) else { continue }
        if !former.isReadThrough {
          do { try former.pull() } catch let error as CloudError {
            guard error.isWorthRetrying else { throw error }
          }
        }
        nodes.append(JoinedPast.Origin(zone: former, links: links, parent: next))
      }
      next += 1
    }
    return try JoinedPast(nodes)
  }

  /// Returns other ids for records that are to be restored in a zone, but are in another zone of
  /// this person now, because somebody moved them there. The same record in two zones could never
  /// come into one zone again.
  /// - Parameters:
  ///   - records: The records, which the zone doesn't have.
  ///   - zone: The zone.
  /// - Returns: The ids, by the records that need one. They are the same each time.
  /// - Throws: `IndexFailure` if an index can't be read.
  public func idsForRestoring(
    _ records: Set<RecordID>, in zone: Zone
  ) throws -> [RecordID: RecordID] {
    guard !records.isEmpty, zone.scope != .public else { return [:] }
    var ids: [RecordID: RecordID] = [:]
    for other in try container.zoneIDs().sorted() where other != zone.id {
      guard let other = try container.zone(other), other.header.genesis != nil else { continue }
      try other.read { view in
        for id in records where try view.record(id) != nil {
          ids[id] = id.again
        }
      }
    }
    return ids
  }
}
