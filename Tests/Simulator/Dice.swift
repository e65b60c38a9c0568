import CSodium
import Synchronization

/// A sequence of numbers that follows from its seed alone (SplitMix64). Owns its state.
struct Dice: Sendable {
  private var state: UInt64

  /// Seeds that follow each other begin far from each other: each number is the state's, mixed, and
  /// the state moves by the same step for all, so that a seed that isn't mixed itself gives the
  /// numbers of its neighbour once more, but for the first.
  init(seed: UInt64) { state = Self.mixed(seed ^ 0x1234_5678_9ABC_DEF1) }

  /// The numbers of the seed and of those beside it: kept scripts were found with these.
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

  /// A number from 0 up to, and without, `limit`.
  mutating func number(below limit: Int) -> Int {
    precondition(limit > 0, "there is no number below \(limit)")
    return Int(next() % UInt64(limit))
  }

  /// True once in so many times.
  mutating func once(in times: Int) -> Bool { number(below: times) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }
}

/// libsodium's source of random bytes, replaced by dice: keys, nonces and ids of a story follow
/// from its seed. One for the process, as libsodium's is.
enum SodiumDice {
  private static let dice = Mutex(Dice(seed: 0))

  /// Never changed once it is made, and never given back: libsodium keeps the pointer.
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

  /// Begins the sequence anew from a seed.
  static func restart(seed: UInt64) {
    let result = randombytes_set_implementation(source.implementation)
    precondition(result == 0 && sodium_init() >= 0, "libsodium takes no other source")
    // The first start of libsodium takes some of it.
    dice.withLock { $0 = Dice(beside: seed) }
  }

  private static func next() -> UInt64 {
    guard SimulatedThread.isCurrent else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    return dice.withLock { $0.next() }
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    guard SimulatedThread.isCurrent else {
      var system = SystemRandomNumberGenerator()
      for index in buffer.indices { buffer[index] = system.next() }
      return
    }
    dice.withLock { dice in
      var offset = 0
      while offset < buffer.count {
        withUnsafeBytes(of: dice.next().littleEndian) { bytes in
          let count = min(8, buffer.count - offset)
          for index in 0..<count { buffer[offset + index] = bytes[index] }
          offset += count
        }
      }
    }
  }
}
