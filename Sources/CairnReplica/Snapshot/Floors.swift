import CairnIdentity
import CairnStore
import CairnZone

/// The log starts with a pointer in the container. It knows names and seals; others decide whether
/// a log start counts.
public struct Floors: Sendable {
  private let folder: ZoneFolder
  private let store: any ObjectStore

  /// Creates a value for a zone in a store.
  public init(folder: ZoneFolder, store: any ObjectStore) {
    self.folder = folder
    self.store = store
  }

  /// The pointer to a log start, and its key.
  public struct Told: Sendable {
    /// The position of the log start's checkpoint.
    public var checkpoint: UInt64
    /// The key of the epoch in which it was written.
    public var key: ZoneKey
    /// The key of the pointer.
    public var object: ObjectKey
  }

  /// The maximum number of parts of snapshots that are read at once: strangers can put any number
  /// there.
  private static let mostParts = 100_000

  /// All pointers with a name by one of the keys: the newest epoch first, and in each the highest
  /// position. All strangers' names are read, too, because a bound would let them hide a log start.
  /// None of them is kept.
  /// - Throws: `CloudError` if the container cannot be read.
  public func told(_ keys: Keyring) throws -> [Told] {
    var found: [Told] = []
    try eachObject(in: folder.floors) { object in
      if let checkpoint = Self.checkpoint(of: object) {
        for key in keys.all where folder.floor(checkpoint, key) == object {
          found.append(Told(checkpoint: checkpoint, key: key, object: object))
        }
      }
      return true
    }
    return found.sorted { ($0.key.epoch, $0.checkpoint) > ($1.key.epoch, $1.checkpoint) }
  }

  /// The content of a pointer; nil if it is invalid.
  /// - Throws: `CloudError` if the container cannot be read.
  public func read(_ told: Told) throws -> Snapshot? {
    do throws(StoreError) {
      guard let bytes = try store.get(told.object, upTo: Snapshot.limit) else { return nil }
      let about = Crypto.number(told.checkpoint)
      guard let plain = SnapshotSeal.opened(bytes, about: about, folder.zone, told.key) else {
        return nil
      }
      do throws(FormatError) {
        let snapshot = try Snapshot(plain)
        return snapshot.header.sequence == told.checkpoint ? snapshot : nil
      } catch {
        return nil
      }
    } catch {
      guard error.code == .corrupt else { throw CloudError(error) }
      return nil
    }
  }

  /// The candidates for the log's first entry: the object in its position, or those in snapshots.
  /// - Throws: `CloudError` if the container cannot be read.
  public func firstEntries(_ keys: Keyring) throws -> [[UInt8]] {
    guard let key = keys[1] else { return [] }
    do throws(StoreError) {
      if let bytes = try store.get(folder.place(1, key), upTo: EntryCodec.limit) { return [bytes] }
    } catch {
      guard error.code == .corrupt else { throw CloudError(error) }
    }
    return try told(keys).compactMap { try read($0)?.first }.filter { !$0.isEmpty }
  }

  /// Returns whether there is an object under the name of a log start's pointer.
  /// - Throws: `CloudError` if the container cannot be read.
  func stands(_ floor: Floor, _ keys: Keyring) throws -> Bool {
    do throws(StoreError) {
      for key in keys.all.reversed() {
        if try store.size(of: folder.floor(floor.checkpoint, key)) != nil { return true }
      }
      return false
    } catch {
      guard error.code == .corrupt else { throw CloudError(error) }
      return false
    }
  }

  /// Parts of snapshots, in the order of their names: all, or very many.
  /// - Throws: `CloudError` if the container cannot be read.
  public func parts() throws -> [ObjectKey] {
    var found: [ObjectKey] = []
    try eachObject(in: folder.parts) { object in
      found.append(object)
      return found.count < Self.mostParts
    }
    return found
  }

  /// Calls `body` for the objects in a folder until it returns false.
  private func eachObject(in folder: String, _ body: (ObjectKey) throws -> Bool) throws {
    do {
      var last: ObjectKey?
      while true {
        // A list that starts again would never end.
        let page = try store.list("\(folder)/", after: last, limit: 1_000)
        guard let next = page.last, last.map({ $0 < next }) ?? true else { return }
        for object in page { guard try body(object) else { return } }
        last = next
      }
    } catch let error as StoreError {
      // Without lists, a log is read from its beginning.
      guard error.code == .unlisted else { throw CloudError(error) }
    }
  }

  private static func checkpoint(of object: ObjectKey) -> UInt64? {
    guard let name = object.description.split(separator: "/").last, name.utf8.count == 32 else {
      return nil
    }
    return UInt64(name.prefix(16), radix: 16)
  }
}
