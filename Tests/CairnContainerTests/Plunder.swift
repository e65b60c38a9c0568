import CairnStore
import CairnWire
import CairnZone
import Foundation

@testable import CairnIdentity
@testable import CairnReplica

/// Everything that a person can open in a container, by trying each key of their device on each
/// object, whatever it is and wherever it is.
struct Plunder {
  private let store: any ObjectStore
  private let zone: Zone
  private let account: Account
  /// Their own keys, and those in boxes for them.
  private(set) var keys: Keyring
  /// The opened bytes, and the readable bytes at the places that opened objects name.
  private(set) var plain: [[UInt8]] = []
  private var chunks: [ChunkName: ChunkEntry] = [:]
  private var digests: Set<Bytes32> = []

  init(of store: any ObjectStore, _ zone: Zone, by account: Account) throws {
    (self.store, self.zone, self.account) = (store, zone, account)
    keys = try zone.exclusively { $0.keys }
    let objects = try store.list("", after: nil, limit: 100_000).map {
      try store.get($0) ?? []
    }
    for bytes in objects { openMessage(bytes) }
    for bytes in objects { openBoxes(bytes) }
    for key in keys.all {
      for bytes in objects { openNumbered(bytes, key) }
    }
    // Objects with a digest in their names are tried with each seen digest, until there is no new
    // one.
    var tried: Set<Bytes32> = []
    while case let next = digests.subtracting(tried), !next.isEmpty {
      for bytes in objects {
        for key in keys.all { for digest in next { openPart(bytes, digest, key) } }
      }
      tried.formUnion(next)
    }
    for chunk in chunks.values { try read(chunk) }
  }

  /// Returns the needles that are in opened bytes.
  func found(_ needles: [String: [UInt8]]) -> Set<String> {
    let all = plain.map { Data($0) }
    return Set(
      needles.filter { needle in all.contains { $0.range(of: Data(needle.value)) != nil } }.keys)
  }

  private mutating func openMessage(_ bytes: [UInt8]) {
    do {
      let message = try SealedMessage(bytes) { account.open($0) }
      plain.append(message.body)
      let wire = try StoredMessage.decode(
        message.body, as: WireInvitation.self, "invitation", limit: SealedMessage.limit)
      keys.merge(try Keyring(wire.keyring))
    } catch {
      // It is no key, or another person's.
    }
  }

  /// Opens each box of an entry of any epoch.
  private mutating func openBoxes(_ bytes: [UInt8]) {
    do {
      let (epoch, boxes) = try EntryCodec.header(of: bytes)
      let opener = EntryCodec.Opener(account: account)
      for box in boxes { if let key = opener.key(in: box, epoch: epoch + 1) { keys.insert(key) } }
    } catch {
      // It is no entry.
    }
  }

  /// Opens objects that are sealed with their places: entries, and objects about floors.
  private mutating func openNumbered(_ bytes: [UInt8], _ key: ZoneKey) {
    for place in 1...zone.header.sequence + 2 {
      do {
        let commit = try EntryCodec.reopen(
          bytes, zone: zone.id, sequence: place, keys: Keyring([key]))
        plain.append(StoredMessage.encode(WireCommit(commit, nonce: nil)))
        for chunk in commit.chunks { chunks[chunk.name] = chunk }
        for case .zone(.floor(let floor)) in commit.share { digests.formUnion([floor.digest]) }
      } catch {
        // It doesn't open with this key, or doesn't exist.
      }
      let about = Crypto.number(place)
      guard let opened = SnapshotSeal.opened(bytes, about: about, zone.id, key) else { continue }
      plain.append(opened)
      do {
        let snapshot = try Snapshot(opened)
        digests.formUnion(snapshot.lists)
        for hidden in snapshot.hidden { digests.formUnion([hidden.versions, hidden.chunks]) }
      } catch {
        // It is another object.
      }
    }
  }

  private mutating func openPart(_ bytes: [UInt8], _ digest: Bytes32, _ key: ZoneKey) {
    switch SnapshotSeal.open(bytes, as: digest, zone.id, key) {
    case .node(let below): digests.formUnion(below)
    case .part(let opened):
      plain.append(opened)
      do {
        let part = try StoredMessage.decode(
          opened, as: WireStatePart.self, "part", limit: SnapshotSeal.limit)
        for chunk in part.chunks {
          let entry = try chunk.entry()
          chunks[entry.name] = entry
        }
      } catch {
        // Its bytes are searched all the same.
      }
    case nil: break
    }
  }

  private mutating func read(_ chunk: ChunkEntry) throws {
    let content = Content(size: UInt64(chunk.size), chunks: [chunk.name])
    do {
      var bytes: [UInt8] = []
      try ContentReader(store: store).read(content, lookup: { _ in chunk }) { bytes += Array($0) }
      plain.append(bytes)
    } catch is ContentError {
      // It doesn't exist any more.
    }
  }
}
