import CSodium

/// Thirty-two secret bytes: a key. It owns its memory, wipes it at the end, and never shows it. It
/// does not know the purpose of the key.
///
/// Sendable although it holds a pointer: the bytes are written only in `init`, before anybody has
/// the reference. Afterwards they are only read, until `deinit`, when nobody has it any more.
public final class SecretBytes: @unchecked Sendable {
  static let count = 32
  private let memory: UnsafeMutableRawBufferPointer

  /// Fills the memory once.
  public init(filling fill: (UnsafeMutableRawBufferPointer) -> Void) {
    Crypto.start()
    memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    fill(memory)
  }

  /// Copies exactly 32 bytes; nil for anything else. The caller must wipe its own copy.
  public convenience init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.init { $0.copyBytes(from: bytes) }
  }

  /// Creates thirty-two bytes from the kernel's random source.
  public static func random() -> SecretBytes {
    SecretBytes { randombytes_buf($0.start, $0.count) }
  }

  deinit {
    sodium_memzero(memory.start, memory.count)
    memory.deallocate()
  }

  /// Passes the bytes to a closure, for one call.
  public func withBytes<Result>(_ body: (UnsafePointer<UInt8>) throws -> Result) rethrows -> Result
  {
    let bytes = memory.bindMemory(to: UInt8.self)
    guard let start = bytes.baseAddress else { preconditionFailure("memory was allocated") }
    return try body(UnsafePointer(start))
  }

  /// A copy for an encoder, which seals it or writes it to the account file.
  public func copy() -> [UInt8] { Array(memory) }
}

extension SecretBytes: Equatable, CustomStringConvertible, CustomReflectable {
  /// Compares in constant time.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    sodium_memcmp(left.memory.start, right.memory.start, count) == 0
  }

  /// A description without the bytes.
  public var description: String { "SecretBytes(32)" }

  /// An empty mirror, so that `dump` shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
