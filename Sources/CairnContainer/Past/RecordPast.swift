import CairnReplica
public import CairnZone

extension FormerZones {
  /// Returns the versions of a typed record, as the logs of its zone and of its former zones tell
  /// them. A save that changed nothing makes no version.
  /// - Parameters:
  ///   - id: The record.
  ///   - zone: Its zone.
  /// - Returns: The versions, the latest first. A deleted record has its versions from before.
  /// - Throws: `CloudError` if an entry must be read from the container, and can't be.
  /// - Complexity: The logs are read to their ends.
  public func versions(of id: RecordID, in zone: Zone) throws -> [Record] {
    var found: [Record] = []
    for layer in try past(of: zone).layers {
      found += try versions(of: id, inLogOf: layer.zone, through: layer.through)
    }
    // The clocks only order versions of different zones.
    found.sort { ($0.changed.time, $0.changed.sequence) < ($1.changed.time, $1.changed.sequence) }
    var different: [Record] = []
    for version in found where different.last?.fields != version.fields {
      different.append(version)
    }
    return different.reversed()
  }

  private func versions(
    of id: RecordID, inLogOf zone: Zone, through: UInt64
  ) throws -> [Record] {
    var (found, place): ([Record], UInt64) = ([], 0)
    var current: Record?
    let last = min(through, zone.header.sequence)
    while place < last {
      let next = min(last, place + 1_000)
      for commit in try zone.log(after: place, limit: Int(next - place)) {
        for change in commit.records where change.id == id {
          current = Self.next(after: current, change, commit)
          if let current { found.append(current) }
        }
      }
      place = next
    }
    return found
  }

  private static func next(
    after record: Record?, _ change: RecordChange, _ commit: LoggedCommit
  ) -> Record? {
    guard let author = commit.author else { return record }
    let stamp = Stamp(
      sequence: commit.sequence, user: author.user, device: author.device, time: commit.time)
    switch change.act {
    case .delete: return nil
    case .create(let type):
      guard case .typed = type else { return nil }
      return Record(
        id: change.id, type: type, place: nil,
        attributes: Attributes(isExecutable: false, modified: 0),
        fields: change.fields.compactMapValues { $0 }, created: stamp, changed: stamp)
    case .update:
      // The beginning may be below the start of the log.
      guard var record else { return nil }
      for (name, value) in change.fields { record.fields[name] = value }
      record.changed = stamp
      return record
    }
  }
}
