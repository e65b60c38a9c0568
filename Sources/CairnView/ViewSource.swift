import CairnControl
import Glibc

/// The entries and the bytes of zones, as a view needs them. Calls block.
protocol ViewSource: Sendable {
  /// Returns an entry: of a record, or with a name in the directory of a record.
  func find(
    zone: String, record: String, name: [UInt8]?
  ) throws(ControlError) -> Control.ViewEntry

  /// Returns a part of a directory, and the name after which the next part begins; nil at the end.
  func list(
    zone: String, record: String, after: [UInt8]?, limit: Int
  ) throws(ControlError) -> (entries: [Control.ViewEntry], next: [UInt8]?)

  /// Writes bytes of a content into a file of the cache.
  /// - Returns: The written range. It contains the first byte of the wanted one.
  func read(
    zone: String, content: String, into file: String, _ range: Range<Int64>
  ) throws(ControlError) -> Range<Int64>

  /// Gives a file the bytes of a draft.
  func put(_ request: Control.ViewPut) throws(ControlError) -> Control.ViewPutReply

  /// Makes, moves, changes or deletes an entry.
  /// - Returns: The entry afterwards; nil if it was deleted.
  func change(_ request: Control.ViewChange) throws(ControlError) -> Control.ViewEntry?
}

/// The daemon of a home as a source. It does not start the daemon.
struct DaemonSource: ViewSource {
  let client: ControlClient

  func find(
    zone: String, record: String, name: [UInt8]?
  ) throws(ControlError) -> Control.ViewEntry {
    let request = Control.ViewFind(
      zone: zone, record: record, name: name.map { Control.Path($0) })
    return try client.call(request).reply.entry
  }

  func list(
    zone: String, record: String, after: [UInt8]?, limit: Int
  ) throws(ControlError) -> (entries: [Control.ViewEntry], next: [UInt8]?) {
    let request = Control.ViewList(
      zone: zone, record: record, after: after.map { Control.Path($0) }, limit: limit)
    var entries: [Control.ViewEntry] = []
    let reply = try client.call(request) { line throws(ControlError) in
      if case .items = line.update { entries += try line.items(Control.ViewEntry.self) }
    }.reply
    return (entries, reply.next?.bytes)
  }

  func read(
    zone: String, content: String, into file: String, _ range: Range<Int64>
  ) throws(ControlError) -> Range<Int64> {
    let request = Control.ViewRead(
      zone: zone, content: content, file: file, offset: range.lowerBound,
      length: Int64(range.count))
    let reply = try client.call(request).reply
    return reply.offset..<(reply.offset + reply.length)
  }

  func put(_ request: Control.ViewPut) throws(ControlError) -> Control.ViewPutReply {
    try client.call(request).reply
  }

  func change(_ request: Control.ViewChange) throws(ControlError) -> Control.ViewEntry? {
    try client.call(request).reply.entry
  }
}

/// The error of a system call.
struct SystemError: Error, Hashable {
  /// The errno.
  let number: CInt

  init(_ number: CInt) { self.number = number }

  /// The error that a program gets for a failure of the daemon.
  init(_ error: ControlError) {
    number =
      switch error.code {
      case .unknownItem, .assetFileNotFound, .zoneNotFound: ENOENT
      case .permissionFailure, .notAuthenticated: EACCES
      case .networkUnavailable, .networkFailure: ENETUNREACH
      case .quotaExceeded, .limitExceeded: ENOSPC
      case .alreadyExists, .constraintViolation: EEXIST
      case .referenceViolation: ENOTEMPTY
      case .serverRecordChanged: EBUSY
      default: EIO
      }
  }
}
