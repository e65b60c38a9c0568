import CairnCloud
import CairnStore
import CairnZone

/// The container goes back to an earlier copy of itself, and people put back what it lost.
extension Story {
  /// The container is as it was so many entries of the log ago.
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

  /// People who have seen most begin.
  func repairEverywhere() throws {
    for device in devices.sorted(by: { $0.sequence > $1.sequence }) { try repair(device) }
  }

  /// No place of the log that was read on a machine stands for another entry there later, unless
  /// its person was told and had it repaired.
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
  /// How far the log was read here.
  var sequence: UInt64 { zone?.header.sequence ?? 0 }
}

extension Script {
  /// Whether the container loses something.
  var hasRollback: Bool {
    steps.contains { if case .rollBack = $0 { true } else { false } }
  }
}
