public import CairnZone
import Synchronization

/// Another machine that uses this device's keys at the same time: its home is a copy.
public struct ClonedDevice: Hashable, Sendable {
  /// The zone where it was noticed.
  public var zone: ZoneID
  /// The position of an entry that this device signed, but never wrote here.
  public var sequence: UInt64

  /// Creates a notice of another machine.
  public init(zone: ZoneID, sequence: UInt64) {
    self.zone = zone
    self.sequence = sequence
  }

  var error: CloudError {
    CloudError(
      .accountTemporarilyUnavailable,
      "another machine uses the keys of this device at the same time: entry \(sequence) of zone "
        + "\(zone) is signed by it, and wasn't written here",
      remedy: "nothing is lost, and this device goes on reading, but writes nothing; stop Cairn on "
        + "the one that is the copy and let it join as a device of its own, by `cairn device join` "
        + "with another CAIRN_HOME; then run `cairn stop` and `cairn start` here")
  }
}

/// The detection of a copy of this home: an entry with this device's signature in a zone that this
/// home mirrors. The entry appeared after this run of the program had read the log to its end, and
/// this run did not write it. Earlier entries prove nothing: the index may have been lost, or be an
/// older copy. In other zones a second program of the person may use the same keys: records there
/// are decided by the log, and no folder depends on who wrote them.
public final class DeviceUse: Sendable {
  /// The run of this process: everything that one process opens is one device at work.
  private static let ofThisProcess = Bytes16.random()
  /// The run id in every entry of this run.
  public let run: Bytes16
  private let found = Mutex<ClonedDevice?>(nil)
  private let listener = Mutex<Listener?>(nil)

  private struct Listener {
    let call: @Sendable () -> Void
  }

  /// Returns whether this home mirrors a zone. A home without mirrors has no copies that matter.
  private let isMirrored: @Sendable (ZoneID) -> Bool

  /// Creates a value for a run of the program; nil: the run of this process.
  public init(
    run: Bytes16? = nil, isMirrored: @escaping @Sendable (ZoneID) -> Bool = { _ in false }
  ) {
    self.run = run ?? Self.ofThisProcess
    self.isMirrored = isMirrored
  }

  /// The other machine, if one was noticed. Only a new start forgets it.
  public var clone: ClonedDevice? { found.withLock { $0 } }

  /// Calls `body` when one is noticed, on the noticing thread.
  public func listen(_ body: @escaping @Sendable () -> Void) {
    listener.withLock { $0 = Listener(call: body) }
  }

  /// Remembers another machine, if this home mirrors the zone.
  public func notice(_ clone: ClonedDevice) {
    guard isMirrored(clone.zone) else { return }
    let isNew = found.withLock { found in
      defer { found = found ?? clone }
      return found == nil
    }
    if isNew { listener.withLock { $0 }?.call() }
  }

  /// Throws while another machine uses the same keys.
  public func check() throws(CloudError) {
    if let clone { throw clone.error }
  }
}
