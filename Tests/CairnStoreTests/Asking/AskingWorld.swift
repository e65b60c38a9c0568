import Testing

@testable import CairnStore

/// Devices that ask one container, with a clock that moves when nothing is left to do: an hour
/// takes a moment.
struct AskingWorld {
  struct Device {
    var asking: Asking
    /// The numbers of its requests, by purpose.
    var requests: [String: Int] = [:]
    /// The list that its system remembers.
    var list: (time: Int64, keys: [ObjectKey])?
    /// The number of seen objects in each folder.
    var seen: [String: Int] = [:]
    /// Its hints, with their times.
    var hints: [(time: Int64, groups: Set<String>)] = []
    var total: Int { requests.values.reduce(0, +) }
  }

  static let second: Int64 = 1_000_000_000
  let store = MemoryStore()
  var now: Int64 = 0
  var devices: [Device] = []
  /// The cost of reading one zone.
  var price = 3
  var isAway = false
  /// For how many seconds each device's system remembers a list of names.
  var memory: Int64 = 0
  /// The number of writes to each folder.
  var written: [String: Int] = [:]

  /// One more device, that follows these folders, each with its tag.
  mutating func add(
    isAsking: Bool = true, isReader: Bool = false, isFolder: Bool = false, longest: Int64 = 60,
    _ folders: [String]
  ) -> Int {
    let digit = String(devices.count + 1, radix: 16)
    let owner = isReader ? nil : String(repeating: digit, count: 32)
    var asking = Asking(
      owner: owner, isAsking: isAsking, isFolder: isFolder, longest: longest * Self.second,
      now: now)
    for folder in folders {
      if let tag = Self.tag(of: folder) { asking.agree(on: tag, for: folder) }
      asking.follow(folder)
    }
    devices.append(Device(asking: asking))
    return devices.count - 1
  }

  /// Folders by number have it as their tag.
  static func tag(of folder: String) -> UInt32? { UInt32(folder.split(separator: "/").last ?? "") }

  static func zone(_ number: Int) -> String { "users/x/zones/\(number)" }

  /// A device stores something in a folder.
  mutating func write(_ device: Int, in folder: String) {
    _ = devices[device].asking.stored(in: folder, now: now)
    written[folder, default: 0] += 1
    devices[device].seen[folder] = written[folder]
  }

  /// Lets the time pass.
  mutating func pass(seconds: Double) throws {
    let end = now + Int64(seconds * 1e9)
    while true {
      var next = end
      for device in devices.indices { next = min(next, try work(device) ?? end) }
      guard next < end else { break }
      now = next
    }
    now = end
    for device in devices.indices { _ = try work(device) }
  }

  /// Does what is to be done; returns when there is more.
  private mutating func work(_ device: Int) throws -> Int64? {
    while true {
      switch devices[device].asking.next(now: now) {
      case .wait(let time): return time
      case .ring(let ring):
        count(device, "put")
        let isHung = try !isAway && store.put(ring.bell.key, ring.bytes) == .stored
        for bell in ring.old where isHung {
          count(device, "delete")
          try store.delete(bell.key)
        }
        devices[device].asking.rang(ring, isHung: isHung, now: now)
      case .read(let bell):
        count(device, "get")
        let bytes = try store.get(bell.key)
        told(device, devices[device].asking.read(bell, bytes, now: now))
      case .ask:
        count(device, "list")
        guard !isAway else {
          told(device, devices[device].asking.failed(now: now, chance: 0))
          continue
        }
        let keys = try list(device)
        told(
          device,
          devices[device].asking.answered(
            keys, requests: devices[device].total, now: now, chance: .max))
      }
    }
  }

  private mutating func list(_ device: Int) throws -> [ObjectKey] {
    if let known = devices[device].list, now - known.time < memory * Self.second {
      return known.keys
    }
    let keys = try store.list("bells/", after: nil, limit: BellBook.most)
    devices[device].list = (now, keys)
    return keys
  }

  private mutating func count(_ device: Int, _ request: String) {
    devices[device].requests[request, default: 0] += 1
  }

  private mutating func told(_ device: Int, _ groups: Set<String>) {
    guard !groups.isEmpty else { return }
    devices[device].hints.append((now, groups))
    devices[device].requests["look", default: 0] += price * groups.count
    for folder in groups where devices[device].seen[folder] != written[folder] {
      devices[device].seen[folder] = written[folder]
      _ = devices[device].asking.found(in: folder, now: now)
    }
  }
}
