import CSodium

/// Thirty-two secret bytes: a key. It owns its memory, wipes it at the end, and shows itself
/// nowhere; it doesn't know what the key is for.
///
/// Sendable though it holds a pointer: the bytes are written in `init` only, before the reference
/// is given to anybody, and from then on only read, until `deinit`, when nobody holds it any more.
public final class SecretBytes: @unchecked Sendable {
  static let count = 32
  private let memory: UnsafeMutableRawBufferPointer

  /// Fills the memory once.
  init(filling fill: (UnsafeMutableRawBufferPointer) -> Void) {
    Crypto.start()
    memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    fill(memory)
  }

  /// Copies exactly 32 bytes; anything else gives nil. The caller's copy is the caller's to wipe.
  public convenience init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.init { $0.copyBytes(from: bytes) }
  }

  /// Thirty-two bytes from the kernel's random source.
  public static func random() -> SecretBytes {
    SecretBytes { randombytes_buf($0.start, $0.count) }
  }

  deinit {
    sodium_memzero(memory.start, memory.count)
    memory.deallocate()
  }

  /// Lends the bytes for the length of one call.
  func withBytes<Result>(_ body: (UnsafePointer<UInt8>) throws -> Result) rethrows -> Result {
    let bytes = memory.bindMemory(to: UInt8.self)
    guard let start = bytes.baseAddress else { preconditionFailure("memory was allocated") }
    return try body(UnsafePointer(start))
  }

  /// A copy for an encoder, which seals it or writes it to the account file.
  func copy() -> [UInt8] { Array(memory) }
}

extension SecretBytes: Equatable, CustomStringConvertible, CustomReflectable {
  /// Compares in constant time.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    sodium_memcmp(left.memory.start, right.memory.start, count) == 0
  }

  /// Never the bytes.
  public var description: String { "SecretBytes(32)" }

  /// Nothing, so that `dump` shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
