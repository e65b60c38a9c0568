// SPDX-License-Identifier: Apache-2.0

/// The error for output that cairn-watch(8) does not describe.
public struct WatchStreamError: Error, Sendable, Equatable {
  /// The event, without the NUL that ended it.
  public let event: [UInt8]

  /// The error for these bytes.
  public init(event: [UInt8]) {
    self.event = event
  }
}

/// Splits the event stream of cairn-watch(8) into events, wherever the reads split it. A pure
/// value; it must not know the source of the bytes.
public struct WatchStreamParser: Sendable {
  private var pending: [UInt8] = []

  /// Creates a parser at the beginning of a stream.
  public init() {}

  /// Adds the next bytes. Returns the complete events.
  ///
  /// Throws a `WatchStreamError` for an unknown event: the stream is useless then.
  public mutating func parse(_ bytes: ArraySlice<UInt8>) throws(WatchStreamError) -> [WatchEvent] {
    var events: [WatchEvent] = []
    var rest = bytes
    while let end = rest.firstIndex(of: 0) {
      pending += rest[..<end]
      rest = rest[(end + 1)...]
      guard let event = WatchStreamParser.event(pending[...]) else {
        throw WatchStreamError(event: pending)
      }
      events.append(event)
      pending.removeAll(keepingCapacity: true)
    }
    pending += rest
    return events
  }

  private static func event(_ bytes: ArraySlice<UInt8>) -> WatchEvent? {
    let space = UInt8(ascii: " ")
    let parts = bytes.split(separator: space, maxSplits: 2, omittingEmptySubsequences: false)
    let name = String(decoding: parts[0], as: UTF8.self)
    if parts.count == 1 { return name == "overflow" ? .overflow : nil }
    guard let number: Int = number(parts[1]) else { return nil }
    switch (name, parts.count) {
    case ("lost", 2): return .lost(root: number)
    case ("unwatched", 2): return .unwatched(root: number)
    case ("synced", 2): return .synced(token: number)
    case (_, 3): return event(name, root: number, last: parts[2])
    default: return nil
    }
  }

  private static func event(_ name: String, root: Int, last: ArraySlice<UInt8>) -> WatchEvent? {
    switch name {
    case "changed": hint(last).map { .changed(root: root, hint: $0) }
    case "written": hint(last).map { .written(root: root, hint: $0) }
    case "writing": hint(last).map { .writing(root: root, hint: $0) }
    case "tree": hint(last).map { .tree(root: root, hint: $0) }
    case "limit": .limit(root: root, path: Array(last))
    case "failed": .failed(root: root, message: String(decoding: last, as: UTF8.self))
    case "ready": number(last).map { .ready(root: root, directories: $0) }
    default: nil
    }
  }

  /// The number of a directory, a space, and a path, which may contain spaces.
  private static func hint(_ fields: ArraySlice<UInt8>) -> FolderHint? {
    guard let space = fields.firstIndex(of: UInt8(ascii: " ")),
      let directory: UInt64 = number(fields[..<space])
    else { return nil }
    return FolderHint(Array(fields[(space + 1)...]), directory: directory)
  }

  private static func number<Number: FixedWidthInteger>(_ digits: ArraySlice<UInt8>) -> Number? {
    guard digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
      return nil
    }
    return Number(String(decoding: digits, as: UTF8.self))
  }
}
