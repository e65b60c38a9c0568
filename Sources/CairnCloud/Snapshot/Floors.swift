import CairnStore
import CairnZone

/// The floors that the container tells of. It knows names and seals; whether a floor counts is
/// somebody else's to say.
struct Floors {
  let folder: ZoneFolder
  let store: any ObjectStore

  /// What is told of a floor, and under which key.
  struct Told {
    var checkpoint: UInt64
    var key: ZoneKey
    var object: ObjectKey
  }

  /// How many parts of snapshots are looked at in one go: strangers can put there what they like.
  private static let mostParts = 100_000

  /// All whose names one of the keys gives: the newest epoch first, and in each the highest place.
  /// Strangers' names are looked at, too, however many there are, since a bound would let them hide
  /// a floor; none is kept.
  /// - Throws: `CloudError` if the container can't be read.
  func told(_ keys: Keyring) throws -> [Told] {
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

  /// What the container tells of a floor; nil if it is nothing.
  /// - Throws: `CloudError` if the container can't be read.
  func read(_ told: Told) throws -> Snapshot? {
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

  /// What may be the log's first entry: what stands in its place, or what snapshots have of it.
  /// - Throws: `CloudError` if the container can't be read.
  func firstEntries(_ keys: Keyring) throws -> [[UInt8]] {
    guard let key = keys[1] else { return [] }
    do throws(StoreError) {
      if let bytes = try store.get(folder.place(1, key), upTo: EntryCodec.limit) { return [bytes] }
    } catch {
      guard error.code == .corrupt else { throw CloudError(error) }
    }
    return try told(keys).compactMap { try read($0)?.first }.filter { !$0.isEmpty }
  }

  /// Whether something stands under the name of what tells of a floor.
  /// - Throws: `CloudError` if the container can't be read.
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
  /// - Throws: `CloudError` if the container can't be read.
  func parts() throws -> [ObjectKey] {
    var found: [ObjectKey] = []
    try eachObject(in: folder.parts) { object in
      found.append(object)
      return found.count < Self.mostParts
    }
    return found
  }

  /// Looks at what stands in a folder, as long as it is wanted.
  private func eachObject(in folder: String, _ body: (ObjectKey) throws -> Bool) throws {
    do {
      var last: ObjectKey?
      while true {
        // A list that begins anew would never end.
        let page = try store.list("\(folder)/", after: last, limit: 1_000)
        guard let next = page.last, last.map({ $0 < next }) ?? true else { return }
        for object in page { guard try body(object) else { return } }
        last = next
      }
    } catch let error as StoreError {
      // Where nothing is listed a log is read from its beginning.
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
