import CairnContainer
import CairnReplica
import CairnZone

@testable import CairnFolders

/// Modes and `user.*` attributes: the owner has the zone carry them, and each person applies them,
/// or doesn't.
extension Story {
  /// Performs a person's decision.
  func chooseMetadata(_ person: Int, _ isFull: Bool) throws {
    let device = devices[person]
    guard !device.isWorking, !device.isOut, !device.disk.isRootHidden, !device.disk.isFolderGone
    else { return }
    for other in devices { other.disk.hasRichModes = true }
    count("attributes \(isFull ? "all" : "few")")
    device.ask { open, zone, engine in
      guard person == 0 else { return try engine.chooseMetadata(isFull) }
      try zone.pull()
      try open.ownership.setCarried(isFull ? [.mode, .extended] : [], of: zone)
      if isFull { _ = try engine.giveMetadata() }
    }
    if device.disk.isDead { try recover(device) }
  }

  /// Checks that at rest no entry has more rights than its record, on any device that applies
  /// modes, and that it has all attributes of its record where no disk refused one.
  func checkMetadata() throws {
    for device in devices {
      guard let engine = device.engine, let zone = device.zone, !device.isOut else { continue }
      let applied = engine.state.scope.carried
      guard !applied.isEmpty else { continue }
      let isTold = device.disk.faults.isEmpty
      try zone.read { view in
        var stack: [(RecordID, Inode)] = [(.root, device.disk.folder)]
        while let (directory, inode) = stack.popLast() {
          for (name, id) in try view.children(of: directory, after: [], limit: 100_000) {
            guard let entry = inode.entries[name], let record = try view.record(id) else {
              continue
            }
            if record.type == .directory { stack.append((id, entry)) }
            try check(entry, record, text(name), at: device, applied, isTold: isTold)
          }
        }
      }
    }
  }

  private func check(
    _ entry: Inode, _ record: Record, _ name: String, at device: Device,
    _ applied: CarriedAttributes, isTold: Bool
  ) throws {
    if applied.contains(.mode), let mode = record.attributes.mode {
      let most = UInt32(mode) & 0o777 | (record.type == .directory ? 0o700 : 0o400)
      guard entry.mode & 0o777 & ~most == 0 else {
        let modes = [entry.mode, UInt32(mode)].map { String($0, radix: 8) }
        throw Violation(
          rule: "metadata",
          message: "\(name) has the mode \(modes[0]) at \(device.number), not \(modes[1])")
      }
    }
    guard applied.contains(.extended), isTold, let extended = record.attributes.extended else {
      return
    }
    // A file may have more: those from a time in which its person applied none.
    guard extended.allSatisfy({ entry.attributes[$0] == $1 }) else {
      throw Violation(
        rule: "metadata",
        message: "\(name) has other attributes than its record at \(device.number)")
    }
  }
}
