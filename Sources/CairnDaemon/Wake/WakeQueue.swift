import CairnZone

/// Which wake-ups are to go, to whom, and when: to each device at most one in a second, and to all
/// together no more than a line bears. It must not know sockets or clocks: seconds are handed in.
struct WakeQueue {
  /// The most wake-ups of one second.
  static let most = 256

  private var waiting: [DeviceID: [UInt32]] = [:]
  /// The second of the last one to each device.
  private var sent: [DeviceID: Int64] = [:]
  /// The last second, and how many went in it.
  private var last: (second: Int64, count: Int) = (.min, 0)

  /// Whether something waits for the next second.
  var isEmpty: Bool { waiting.isEmpty }

  /// Something is new where bells have that tag.
  mutating func pull(_ tag: UInt32, for devices: some Sequence<DeviceID>) {
    for device in devices where waiting[device]?.contains(tag) != true {
      waiting[device, default: []].append(tag)
    }
  }

  /// Nobody is there any more who could be woken.
  mutating func clear() { waiting = [:] }

  /// Takes what may go.
  /// - Parameters:
  ///   - second: Which one it is, since 1970.
  ///   - mostTags: How many tags one wake-up names.
  /// - Returns: to whom, and with which tags.
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
