import CairnReplica
import CairnStore
import CairnZone

/// Returns of the container to an earlier copy, and repairs by people.
extension Story {
  /// Returns the container to its state so many entries of the log ago.
  func rollBack(_ entries: Int) throws {
    guard entries > 0, copies.count > entries else { return }
    count("container rolled back")
    copies.removeLast(entries)
    guard let old = copies.last else { return }
    for key in try store.list("", after: nil, limit: .max) where try old.size(of: key) == nil {
      try store.delete(key)
    }
    for key in try old.list("", after: nil, limit: .max) {
      if let bytes = try old.get(key) { _ = try store.put(key, bytes) }
    }
    for device in devices { device.hintZone() }
  }

  func repair(_ device: Device) throws {
    guard !device.isWorking else { return }
    count("repair")
    watches[device.number].beginWork()
    device.repair()
    watches[device.number].endWork()
    if device.disk.isDead { try recover(device) }
  }

  /// People with the most entries begin.
  func repairEverywhere() throws {
    for device in devices.sorted(by: { $0.sequence > $1.sequence }) { try repair(device) }
  }

  /// Checks that no log position that was read on a machine has another entry later, unless its
  /// person was told and repaired the log.
  func checkMemory(of device: Device) throws {
    guard script.hasRollback, let zone = device.zone else { return }
    let header = zone.header
    if let (sequence, head) = device.remembered,
      try zone.read({ try $0.head(at: sequence) }) != head
    {
      report(
        Violation(
          rule: "log safety",
          message: "\(device.number) took another entry at place \(sequence) without a word"))
    }
    device.remembered = (header.sequence, header.head)
  }
}

extension Device {
  /// The last log position that was read here.
  var sequence: UInt64 { zone?.header.sequence ?? 0 }
}

extension Script {
  /// A Boolean value that indicates whether the container loses something.
  var hasRollback: Bool {
    steps.contains { if case .rollBack = $0 { true } else { false } }
  }
}
