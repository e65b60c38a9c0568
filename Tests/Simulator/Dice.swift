import CSodium
import Synchronization

/// A sequence of numbers that follows from its seed alone (SplitMix64). It owns its state.
struct Dice: Sendable {
  private var state: UInt64

  /// Creates a sequence. Successive seeds start far from each other. The state advances by the same
  /// step for all seeds, and each number is the mixed state. So an unmixed seed would repeat its
  /// neighbour's numbers, except for the first.
  init(seed: UInt64) { state = Self.mixed(seed ^ 0x1234_5678_9ABC_DEF1) }

  /// Creates the old sequence of a seed and its neighbours: kept scripts were found with it.
  init(beside seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A number from 0 up to, but not including, `limit`.
  mutating func number(below limit: Int) -> Int {
    precondition(limit > 0, "there is no number below \(limit)")
    return Int(next() % UInt64(limit))
  }

  /// True with a probability of one in `times`.
  mutating func once(in times: Int) -> Bool { number(below: times) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }
}

/// libsodium's source of random bytes, replaced by dice: the keys, nonces and ids of a story follow
/// from its seed. There is one per process, as in libsodium.
///
/// Each person has separate dice for each number of requested bytes. So a story keeps its ids,
/// whose order matters, when another person requests more, or when one more key or nonce is drawn.
enum SodiumDice {
  private struct Streams {
    var seed: UInt64 = 0
    var person = nobody
    var dice: [Int: Dice] = [:]

    mutating func next(of count: Int) -> UInt64 {
      let stream = person * 64 + min(count, 63)
      let seed = seed ^ UInt64(stream + 1) &* 0x9E37_79B9_7F4A_7C15
      return dice[stream, default: Dice(seed: seed)].next()
    }
  }

  private static let streams = Mutex(Streams())

  /// The person for requests outside all daemons.
  private static let nobody = 9

  /// Runs a closure with a person's dice.
  static func with<Result>(_ person: Int, _ body: () -> Result) -> Result {
    let before = streams.withLock { streams in
      defer { streams.person = person }
      return streams.person
    }
    defer { streams.withLock { $0.person = before } }
    return body()
  }

  /// Never changed after its creation, and never freed: libsodium keeps the pointer.
  private struct Source: @unchecked Sendable {
    let implementation: UnsafeMutablePointer<randombytes_implementation>
  }

  private static let source: Source = {
    let place = UnsafeMutablePointer<randombytes_implementation>.allocate(capacity: 1)
    var implementation = randombytes_implementation()
    implementation.implementation_name = {
      let name: StaticString = "dice"
      return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }
    implementation.random = { UInt32(truncatingIfNeeded: SodiumDice.next()) }
    implementation.buf = { buffer, count in
      guard let buffer else { return }
      SodiumDice.fill(UnsafeMutableRawBufferPointer(start: buffer, count: count))
    }
    place.initialize(to: implementation)
    return Source(implementation: place)
  }()

  /// Restarts the sequence from a seed.
  static func restart(seed: UInt64) {
    let result = randombytes_set_implementation(source.implementation)
    precondition(result == 0 && sodium_init() >= 0, "libsodium takes no other source")
    // The first start of libsodium consumes some bytes.
    streams.withLock { $0 = Streams(seed: seed) }
  }

  private static func next() -> UInt64 {
    guard SimulatedThread.isCurrent else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    return streams.withLock { $0.next(of: 0) }
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    guard SimulatedThread.isCurrent else {
      var system = SystemRandomNumberGenerator()
      for index in buffer.indices { buffer[index] = system.next() }
      return
    }
    streams.withLock { streams in
      var offset = 0
      while offset < buffer.count {
        withUnsafeBytes(of: streams.next(of: buffer.count).littleEndian) { bytes in
          let count = min(8, buffer.count - offset)
          for index in 0..<count { buffer[offset + index] = bytes[index] }
          offset += count
        }
      }
    }
  }
}
