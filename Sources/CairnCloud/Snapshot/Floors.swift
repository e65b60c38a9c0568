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

  /// How many names are looked at: strangers can put there what they like.
  private static let most = 100_000

  /// All whose names one of the keys gives: the newest epoch first, and in each the highest place.
  /// - Throws: `CloudError` if the container can't be read.
  func told(_ keys: Keyring) throws -> [Told] {
    var found: [Told] = []
    for object in try objects() {
      guard let checkpoint = Self.checkpoint(of: object) else { continue }
      for key in keys.all where folder.floor(checkpoint, key) == object {
        found.append(Told(checkpoint: checkpoint, key: key, object: object))
      }
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

  /// All that stands in the folder.
  func objects() throws -> [ObjectKey] { try objects(in: folder.floors) }

  /// All parts of snapshots.
  func parts() throws -> [ObjectKey] { try objects(in: folder.parts) }

  private func objects(in folder: String) throws -> [ObjectKey] {
    var found: [ObjectKey] = []
    do {
      while found.count < Self.most {
        let page = try store.list("\(folder)/", after: found.last, limit: 1_000)
        guard !page.isEmpty else { break }
        found += page
      }
    } catch {
      // Where nothing is listed a log is read from its beginning.
      guard error.code == .unlisted else { throw CloudError(error) }
    }
    return found
  }

  private static func checkpoint(of object: ObjectKey) -> UInt64? {
    guard let name = object.description.split(separator: "/").last, name.utf8.count == 32 else {
      return nil
    }
    return UInt64(name.prefix(16), radix: 16)
  }
}
