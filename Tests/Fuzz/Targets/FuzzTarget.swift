import SwiftProtobuf

/// One decoder of bytes that may be hostile, and the properties that must hold for any input.
/// libFuzzer and the test suite call the same function.
struct FuzzTarget: Sendable {
  /// Its name on the command line, and the name of its corpus.
  let name: String
  /// The largest size of an input, in bytes.
  let limit: Int
  /// Valid inputs, as the encoders make them. The corpus began with them.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Decodes an input. Throws a `Finding` if a property doesn't hold. A refused input is no
  /// finding.
  let check: @Sendable ([UInt8]) throws -> Void

  init(
    _ name: String, limit: Int = 4096, seeds: @escaping @Sendable () throws -> [[UInt8]],
    check: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.limit = limit
    self.seeds = seeds
    self.check = check
  }

  /// All targets.
  static let all =
    containerTargets + identityTargets + messageTargets + logTargets + snapshotTargets
    + contentTargets + textTargets + controlTargets + wakeTargets

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Something that must never happen, and did.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a `Finding` unless the condition holds.
func must(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  guard condition else { throw Finding(what()) }
}

/// Returns the result of the body, or nil if the body refuses the input.
func unlessRefused<Result>(_ body: () throws -> Result) throws -> Result? {
  do { return try body() } catch let finding as Finding { throw finding } catch { return nil }
}

/// Returns the message without the fields that a reader skips, encoded again from the decoded data.
func known<M: Message>(_ bytes: [UInt8], as type: M.Type) throws -> [UInt8] {
  var options = BinaryDecodingOptions()
  options.discardUnknownFields = true
  return try M(serializedBytes: bytes, options: options).serializedBytes()
}

/// An input of several parts, which are taken from the front.
struct Parts {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Takes a big-endian number of that many bytes.
  mutating func number(_ count: Int) -> UInt64 {
    (0..<count).reduce(0) { value, _ in value << 8 | UInt64(byte()) }
  }

  mutating func take(_ count: Int) -> [UInt8] {
    let part = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return part
  }

  /// Takes a part behind its length of two bytes.
  mutating func counted() -> [UInt8] { take(Int(number(2))) }

  mutating func all() -> [UInt8] { take(rest.count) }

  /// Returns the parts behind their lengths, the inverse of `counted`.
  static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    parts.flatMap { [UInt8($0.count >> 8 & 255), UInt8($0.count & 255)] + $0 }
  }
}
