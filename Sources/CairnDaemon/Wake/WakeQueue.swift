import CairnZone

/// The waiting wake-ups with their receivers and times: to each device at most one in a second, and
/// to all together no more than a line bears. It has no access to sockets or the clock: the caller
/// gives seconds.
struct WakeQueue {
  /// The largest number of wake-ups in one second.
  static let most = 256

  private var waiting: [DeviceID: [UInt32]] = [:]
  /// The second of the last one to each device.
  private var sent: [DeviceID: Int64] = [:]
  /// The last second, and the number of its wake-ups.
  private var last: (second: Int64, count: Int) = (.min, 0)

  /// A Boolean value that indicates whether nothing waits for the next second.
  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a tag with changes for devices.
  mutating func pull(_ tag: UInt32, for devices: some Sequence<DeviceID>) {
    for device in devices where waiting[device]?.contains(tag) != true {
      waiting[device, default: []].append(tag)
    }
  }

  /// Removes everything, because no device is left to wake.
  mutating func clear() { waiting = [:] }

  /// Returns and removes the wake-ups of a second.
  /// - Parameters:
  ///   - second: The second since 1970.
  ///   - mostTags: The largest number of tags in one wake-up.
  /// - Returns: The devices with their tags.
  mutating func take(
    second: Int64, mostTags: Int
  ) -> [(device: DeviceID, tags: [UInt32])] {
    if last.second != second { last = (second, 0) }
    var due: [(DeviceID, [UInt32])] = []
    for device in waiting.keys.sorted() where last.count < Self.most {
      guard sent[device] != second, let tags = waiting[device] else { continue }
      due.append((device, Array(tags.prefix(mostTags))))
      waiting[device] = tags.count > mostTags ? Array(tags.dropFirst(mostTags)) : nil
      sent[device] = second
      last.count += 1
    }
    if sent.count > 4_096 { sent = sent.filter { $0.value == second } }
    return due
  }
}
