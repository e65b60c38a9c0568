import CairnCloud
import CairnStore
import CairnThreads
import CairnZone

/// What the thread of wake-ups knows: who takes part with this person, where their devices listen,
/// what they were told of this one, and whom to wake. It must not know sockets.
struct WakeWork {
  /// How long it isn't looked again who takes part and where others listen, in nanoseconds.
  static let pause: Int64 = 30_000_000_000
  /// The same while the container doesn't answer.
  static let away: Int64 = 10_000_000_000
  /// The most objects that are read in one look.
  static let mostRead = 256
  /// The most names of one look that are taken in.
  static let mostNames = 2_000

  private let container: Container
  private let store: any ObjectStore
  private let listens: Bool
  private let sends: Bool

  private var circle = WakeCircle()
  /// When it is to be looked at again without being told to: somebody may have one device more.
  private var nextCircle = Int64.min
  /// Where others listen, by their devices.
  private var listeners: [DeviceID: WakeListener] = [:]
  /// What was read of the folder: whose it is, or nobody's.
  private var seen: Set<ObjectKey> = []
  /// When it may be looked there again.
  private var nextLook = Int64.min
  /// What this device told last: which one it was, and where it listens; nil if it has to tell.
  private var told: (number: UInt64, circle: WakeCircle, addresses: [WakeAddress])?
  /// This device's objects that stand there.
  private var own: Set<ObjectKey> = []
  private var queue = WakeQueue()
  /// Whom the messages at hand were pulled for, by their tags.
  private var pulled: [UInt32: Set<DeviceID>] = [:]
  private var lines: [WakeLine]?

  init(_ container: Container, _ store: any ObjectStore, listens: Bool, sends: Bool) {
    self.container = container
    self.store = store
    self.listens = listens
    self.sends = sends
  }

  /// Where this device listens, as others were told.
  var listening: [WakeAddress] { told?.addresses ?? [] }
  /// How many devices of others are known to listen.
  var known: Int { listeners.count }
  /// Whether something is to be sent in the next second.
  var isWaiting: Bool { !queue.isEmpty }

  /// Who may wake this device, if that has changed since the last call.
  mutating func newLines() -> [WakeLine]? {
    defer { lines = nil }
    return lines
  }

  /// Takes in what has happened, and whom of those who are known to listen that concerns. The
  /// container isn't asked: who has written waits for no answer of its before others are woken.
  /// - Parameters:
  ///   - messages: What has happened; none at first.
  ///   - now: The monotonic clock's time, in nanoseconds.
  /// - Throws: why an index can't be used now; it is tried again.
  mutating func take(_ messages: [Wakes.Message], now: Int64) throws {
    pulled = [:]
    defer { pull(messages) }
    let isNew = messages.contains { if case .people = $0 { true } else { false } }
    guard isNew || nextCircle <= now else { return }
    look(at: try container.waking.circle())
    nextCircle = now + Self.pause
  }

  /// Looks where others listen, if it is time to, wakes those who weren't known before, and tells
  /// others where this device listens, if they don't know.
  /// - Parameters:
  ///   - messages: What `take` got.
  ///   - addresses: Where this device listens now.
  ///   - now: The monotonic clock's time, in nanoseconds.
  /// - Throws: why the container can't be used now; it is tried again.
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
    // What was nobody's may be somebody's now.
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

  /// Reads what is new of where others listen.
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
      // What was sent to where it was before has to go there, too.
      guard found.addresses != before?.addresses else { continue }
      for tag in pulled.keys { pulled[tag]?.remove(device) }
    }
    nextLook = now + Self.pause
  }

  /// What may be sent in that second.
  /// - Parameter second: Since 1970.
  /// - Returns: the way to each device, where it listens, and which tags it is told.
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

  /// Tells others, if they don't know.
  private mutating func tell(_ addresses: [WakeAddress], _ now: Int64) throws {
    guard !addresses.isEmpty, told?.circle != circle || told?.addresses != addresses else { return }
    if told == nil {
      let names = try store.list(Waking.folder, after: nil, limit: Self.mostNames)
      own.formUnion(names.filter { container.waking.ownNumber($0) != nil })
    }
    // A number that nobody comes to by counting is somebody else's: it isn't gone on from.
    let last = own.compactMap { container.waking.ownNumber($0) }.filter { $0 < 1 << 62 }.max() ?? 0
    // Whoever remembers an object of an earlier run by its name must not take this one for it.
    var number = max(last, told?.number ?? .random(in: 1...1 << 48))
    let old = own
    // Somebody may have put something under the next name, which is theirs to take away.
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

  /// Tells others that nobody listens here any more.
  mutating func takeDown() {
    for key in own {
      // One that can't be taken away is harmless: others wake nobody by it.
      do { try store.delete(key) } catch { continue }
    }
  }
}
