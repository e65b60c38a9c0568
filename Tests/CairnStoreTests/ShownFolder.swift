import BuiltPrograms

@testable import CairnStore

/// A folder behind a web server: writes go into the folder, as its keeper makes them, and
/// everything is read as the server shows it.
final class ShownFolder: ObjectStore {
  let directory: DirectoryStore
  let web: any ObjectStore
  let location: StoreLocation
  private let server: PythonServer

  /// Shows a folder.
  /// - Parameters:
  ///   - folder: Which.
  ///   - ways: How the server does it; see `Tests/Buckets/web.py`.
  ///   - mark: An object that is always there.
  init(_ folder: String, _ ways: [String] = [], mark: ObjectKey? = nil) {
    directory = DirectoryStore(root: folder)
    server = PythonServer("Buckets/web.py", [folder] + ways)
    guard let location = StoreLocation("http://127.0.0.1:\(server.port)") else {
      preconditionFailure("no address")
    }
    self.location = location
    web = location.open(mark: mark)
  }

  var flight: Int { web.flight }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try directory.put(key, bytes)
  }

  func delete(_ key: ObjectKey) throws(StoreError) { try directory.delete(key) }

  func remove(_ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int) throws(StoreError) {
    try directory.remove(key, ifIts: bytes, upTo: limit)
  }

  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    try directory.mend(key, bytes)
  }

  func prune(_ prefix: String) throws(StoreError) { try directory.prune(prefix) }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try web.get(key) }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try web.get(key, range: range)
  }

  func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>] {
    web.get(each: keys, range: range)
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? { try web.size(of: key) }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try web.list(prefix, after: after, limit: limit)
  }

  func folders(in prefix: String) throws(StoreError) -> [String] { try web.folders(in: prefix) }

  func owner(of key: ObjectKey) -> String? { web.owner(of: key) }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try web.follow(prefix, onHint)
  }
}
