import CairnContainer
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone
import Glibc

/// One person with a container in memory, unless another store is given. The index files are in a
/// folder of the file system that is measured.
final class PartWorld {
  let store: any ObjectStore
  let account: Account
  let id: ContainerID
  private let folder: String
  private var indexes = 0

  init(in folder: String, store: any ObjectStore = MemoryStore()) throws {
    self.folder = try freshFolder(below: folder)
    self.store = store
    id = try Container.make(in: store, note: "").id
    account = try Self.publish("ana", in: store)
  }

  private static func publish(_ handle: String, in store: any ObjectStore) throws -> Account {
    let account = try IdentityLog.begin(
      handle: handle, name: handle, deviceName: "desk", time: 1
    ).account
    try People(store: store).publish(account)
    return account
  }

  /// Returns a new folder for index files.
  func freshIndex() throws -> String {
    indexes += 1
    let path = "\(folder)/index-\(indexes)"
    guard mkdir(path, 0o700) == 0 else { throw Child.Trouble(description: "can't make \(path)") }
    return path
  }

  /// Opens the container with new index files.
  func open() throws -> Container {
    try Container(store: store, id: id, account: account, indexFolder: freshIndex())
  }

  /// Returns a zone as a member sees it after the owner's invitation.
  func member(_ handle: String, of zone: Zone, _ owner: Container) throws -> Zone {
    let account = try Self.publish(handle, in: store)
    _ = try owner.sharing.share(zone, title: "Trip")
    _ = try owner.sharing.invite([account.user], to: zone, permission: .readWrite)
    return try Container(store: store, id: id, account: account, indexFolder: freshIndex())
      .participation.accept(zone.id)
  }

  /// Returns a new, empty zone.
  func zone() throws -> Zone { try open().privateDatabase.createZone(named: "Trip") }

  /// Returns that zone for a reader without earlier data.
  func anew(_ zone: Zone) throws -> Zone {
    guard let zone = try open().zone(zone.id) else {
      throw Child.Trouble(description: "the account doesn't have its zone")
    }
    return zone
  }
}

extension Zone {
  /// Stores bytes, as the engine does.
  func ingest(_ bytes: UnsafeRawBufferPointer) throws -> Content {
    var feed = Feed(bytes)
    return try ingest { feed.fill($0) }
  }
}

/// Supplies bytes in pieces, as a file is read.
struct Feed {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Fills the buffer. Returns the number of bytes, which is 0 at the end.
  mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(room.count, bytes.count - offset)
    guard count > 0 else { return 0 }
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
    offset += count
    return count
  }
}

extension RecordID {
  /// Creates the same id each time, for a number above 0.
  init(number: Int) { self.init(Bytes16(high: 1, low: UInt64(number))) }
}

extension FileName {
  /// Returns the name of the file of that number.
  static func numbered(_ number: Int) -> FileName {
    guard let name = FileName("file-\(number)") else { preconditionFailure("digits are a name") }
    return name
  }
}
