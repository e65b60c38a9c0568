import CairnContainer
import CairnStore
import CairnThreads
import CairnZone

/// The data of the thread of wake-ups: this person's contacts, the addresses of their devices, the
/// addresses that they were told of this one, and the waiting wake-ups. It has no access to
/// sockets.
struct WakeWork {
  /// The time between two checks of contacts and addresses, in nanoseconds.
  static let pause: Int64 = 30_000_000_000
  /// The same while the container doesn't answer.
  static let away: Int64 = 10_000_000_000
  /// The largest number of objects that are read in one check.
  static let mostRead = 256
  /// The largest number of names of one check that are processed.
  static let mostNames = 2_000

  private let container: Container
  private let store: any ObjectStore
  private let listens: Bool
  private let sends: Bool

  private var circle = WakeCircle()
  /// The time of the next check without a message: a contact may have a new device.
  private var nextCircle = Int64.min
  /// The listeners of others, by their devices.
  private var listeners: [DeviceID: WakeListener] = [:]
  /// The objects of the folder that were read, valid or not.
  private var seen: Set<ObjectKey> = []
  /// The earliest time of the next check of the folder.
  private var nextLook = Int64.min
  /// The last announcement of this device: its number, and the addresses; nil if it must be made.
  private var told: (number: UInt64, circle: WakeCircle, addresses: [WakeAddress])?
  /// This device's objects in the folder.
  private var own: Set<ObjectKey> = []
  private var queue = WakeQueue()
  /// The devices that the present messages concern, by their tags.
  private var pulled: [UInt32: Set<DeviceID>] = [:]
  private var lines: [WakeLine]?

  init(_ container: Container, _ store: any ObjectStore, listens: Bool, sends: Bool) {
    self.container = container
    self.store = store
    self.listens = listens
    self.sends = sends
  }

  /// The addresses of this device, as others were told.
  var listening: [WakeAddress] { told?.addresses ?? [] }
  /// The number of other devices that are known to listen.
  var known: Int { listeners.count }
  /// A Boolean value that indicates whether wake-ups wait for the next second.
  var isWaiting: Bool { !queue.isEmpty }

  /// Returns the lines of the permitted senders, if they have changed since the last call.
  mutating func newLines() -> [WakeLine]? {
    defer { lines = nil }
    return lines
  }

  /// Processes messages, and determines which of the known listeners they concern. It doesn't read
  /// the container: other devices are woken without a delay by its answer.
  /// - Parameters:
  ///   - messages: The messages; none at first.
  ///   - now: The monotonic clock's time, in nanoseconds.
  /// - Throws: The error of an index; it is tried again.
  mutating func take(_ messages: [Wakes.Message], now: Int64) throws {
    pulled = [:]
    defer { pull(messages) }
    let isNew = messages.contains { if case .people = $0 { true } else { false } }
    guard isNew || nextCircle <= now else { return }
    look(at: try container.waking.circle())
    nextCircle = now + Self.pause
  }

  /// Reads the addresses of others, if it is time, wakes newly known ones, and announces this
  /// device's addresses, if others don't know them.
  /// - Parameters:
  ///   - messages: The messages that `take` got.
  ///   - addresses: The present addresses of this device.
  ///   - now: The monotonic clock's time, in nanoseconds.
  /// - Throws: The error of the container; it is tried again.
  mutating func ask(
    _ messages: [Wakes.Message], addresses: @autoclosure () -> [WakeAddress], now: Int64
  ) throws {
    defer { pull(messages) }
    let wrote = messages.contains { if case .wrote = $0 { true } else { false } }
    if sends, nextLook <= now, wrote || nextLook == .min { try lookAround(now) }
    if listens { try tell(addresses(), now) }
  }

  private mutating func look(at new: WakeCircle) {
    guard new != circle else { return }
    circle = new
    lines = listens ? container.waking.lines(from: new) : nil
    let devices = Set(new.devices.values.joined())
    listeners = listeners.filter { devices.contains($0.value.peer) }
    // An object that belonged to nobody may belong to a contact now.
    seen = []
    nextLook = .min
  }

  private mutating func pull(_ messages: [Wakes.Message]) {
    guard sends else { return }
    for case .wrote(let folder, let tag) in messages {
      let peers = circle.peers(of: folder).map(\.device).filter { listeners[$0] != nil }
      queue.pull(tag, for: peers.filter { pulled[tag]?.contains($0) != true })
      pulled[tag, default: []].formUnion(peers)
    }
  }

  // MARK: Where others listen

  /// Reads new addresses of others.
  private mutating func lookAround(_ now: Int64) throws {
    nextLook = now + Self.away
    let names = try store.list(Waking.folder, after: nil, limit: Self.mostNames)
    let strangers = names.filter { container.waking.ownNumber($0) == nil }
    own.formUnion(names.filter { container.waking.ownNumber($0) != nil })
    let standing = Set(strangers)
    seen.formIntersection(standing)
    listeners = listeners.filter { standing.contains($0.value.key) }
    for key in strangers.filter({ !seen.contains($0) }).prefix(Self.mostRead) {
      seen.insert(key)
      guard let bytes = try store.get(key, range: 0..<Waking.limit + 1),
        let found = container.waking.listener(key, bytes, in: circle)
      else { continue }
      let (device, before) = (found.peer.device, listeners[found.peer.device])
      guard found.number >= before?.number ?? 0 else { continue }
      listeners[device] = found
      // Wake-ups that were sent to the earlier address must be sent to this one, too.
      guard found.addresses != before?.addresses else { continue }
      for tag in pulled.keys { pulled[tag]?.remove(device) }
    }
    nextLook = now + Self.pause
  }

  /// Returns the wake-ups that may be sent in a second.
  /// - Parameter second: The second since 1970.
  /// - Returns: The line to each device, its address, and its tags.
  mutating func send(
    second: Int64
  ) -> [(line: WakeLine, addresses: [WakeAddress], tags: [UInt32])] {
    queue.take(second: second, mostTags: WakeLine.mostTags).compactMap { device, tags in
      guard let listener = listeners[device], let line = container.waking.line(to: listener.peer)
      else { return nil }
      return (line, listener.addresses, tags)
    }
  }

  // MARK: Where this device listens

  /// Announces this device's addresses, if others don't know them.
  private mutating func tell(_ addresses: [WakeAddress], _ now: Int64) throws {
    guard !addresses.isEmpty, told?.circle != circle || told?.addresses != addresses else { return }
    if told == nil {
      let names = try store.list(Waking.folder, after: nil, limit: Self.mostNames)
      own.formUnion(names.filter { container.waking.ownNumber($0) != nil })
    }
    // A number that nobody reaches by counting is somebody else's: it isn't continued.
    let last = own.compactMap { container.waking.ownNumber($0) }.filter { $0 < 1 << 62 }.max() ?? 0
    // A device that remembers an object of an earlier run by its name must not mistake this one for
    // it.
    var number = max(last, told?.number ?? .random(in: 1...1 << 48))
    let old = own
    // Somebody may have put an object under the next name, which only they can delete.
    for _ in 0..<4 {
      number += 1
      let object = container.waking.object(number, addresses, for: circle)
      own.insert(object.key)
      if try store.put(object.key, object.bytes) == .stored { break }
    }
    told = (number, circle, addresses)
    for key in old {
      try store.delete(key)
      own.remove(key)
    }
  }

  /// Announces that this device doesn't listen any more.
  mutating func takeDown() {
    for key in own {
      // An object that cannot be deleted is harmless: others wake nobody by it.
      do { try store.delete(key) } catch { continue }
    }
  }
}
