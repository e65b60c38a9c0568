import CairnZone
import Foundation

@testable import CairnIdentity
@testable import CairnReplica

/// The people, the keys and the zone of the inputs. They never change, so that an input means the
/// same today and in a year.
enum Cast {
  /// The person whose keys signed the objects in the corpora. The file is a seed of `account`, too.
  static let ana: Account = {
    do {
      return try AccountFile.decode(accountFile)
    } catch {
      preconditionFailure("the account of the fuzz targets can't be read: \(error)")
    }
  }()

  static let accountFile: [UInt8] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Corpus/account/ana")
    do {
      return [UInt8](try Data(contentsOf: path))
    } catch {
      preconditionFailure("\(path.path) can't be read: \(error)")
    }
  }()

  /// Ana as others see her.
  static let person: Person = {
    do {
      return try IdentityLog.fold([ana.origin], of: ana.user)
    } catch {
      preconditionFailure("the identity of the fuzz targets can't be read: \(error)")
    }
  }()

  static func signKey(_ author: Author) -> Bytes32? {
    author.user == ana.user ? person.devices[author.device]?.signKey : nil
  }

  /// A person who may write in the zone.
  static let bob = author(2)
  /// A person who may only read in the zone.
  static let carol = author(3)
  /// A person who isn't in the zone.
  static let dave = author(4)

  private static func author(_ number: UInt8) -> Author {
    Author(user: UserID(bytes32(number)), device: deviceID(number))
  }

  static let nonce = Bytes16(high: 7, low: 9)
  static let zone = ZoneID.derive(owner: ana.user, nonce: nonce)
  static let container = ContainerID(Bytes16(high: 3, low: 3))
  static let secret = secret(5)
  static let key = ZoneKey(epoch: 1, secret: secret(6))
  static let ring = Keyring([key, ZoneKey(epoch: 2, secret: secret(7))])

  static func bytes32(_ byte: UInt8) -> Bytes32 {
    guard let value = Bytes32([UInt8](repeating: byte, count: 32)) else {
      preconditionFailure("32 bytes make a value")
    }
    return value
  }

  private static func deviceID(_ byte: UInt8) -> DeviceID {
    guard let value = DeviceID(bytes: [UInt8](repeating: byte, count: 16)) else {
      preconditionFailure("16 bytes make an id")
    }
    return value
  }

  static func secret(_ byte: UInt8) -> SecretBytes {
    guard let secret = SecretBytes([UInt8](repeating: byte, count: 32)) else {
      preconditionFailure("32 bytes make a secret")
    }
    return secret
  }

  static func record(_ number: UInt64) -> RecordID { RecordID(Bytes16(high: 0, low: number)) }

  static func name(_ text: String) -> FileName {
    guard let name = FileName(text) else { preconditionFailure("no name: \(text)") }
    return name
  }

  static func place(_ parent: RecordID, _ text: String) -> Place {
    Place(parent: parent, name: name(text))
  }
}

extension Cast {
  static let chunk = ChunkEntry(
    name: ChunkName(bytes32(9)), size: 5,
    place: ChunkPlace(position: .inline([1, 2, 3, 4, 5]), isCompressed: false, size: 5).encoded())

  /// Returns a commit of Ana's for the present state of the zone.
  static func commit(
    _ records: [RecordChange] = [], _ share: [ShareChange] = [], by author: Author = ana.author,
    chunks: [ChunkEntry] = [], genesis: Genesis? = nil, keys: [UserID: Bytes32] = [:],
    after previous: Bytes32 = .zero
  ) -> Commit {
    Commit(
      previous: previous, author: author, time: 1, genesis: genesis, epoch: 1, chunks: chunks,
      records: records, share: share, keys: keys, chain: ChainHead(length: 1, head: person.head))
  }

  /// A first commit of Ana's.
  static let founding = commit(
    [], [], genesis: Genesis(owner: ana.user, name: "Trip"), keys: [ana.user: ana.encryptionKey])

  /// A zone with a small tree and three people in it.
  static let zoneState: MemoryZone = {
    var zone = MemoryZone(zone: Self.zone)
    let tree = [
      RecordChange(id: record(1), act: .create(.directory), place: place(.root, "a")),
      RecordChange(id: record(2), act: .create(.directory), place: place(record(1), "b")),
      RecordChange(
        id: record(3), act: .create(.file), place: place(record(2), "c"),
        content: Content(size: 5, chunks: [chunk.name])),
      RecordChange(
        id: record(4), act: .create(.symlink), place: place(.root, "l"), target: Array("a".utf8)),
      RecordChange(id: record(5), act: .create(.typed("note")), fields: ["x": .integer(1)]),
    ]
    let people: [ShareChange] = [
      .title("Trip"), .invite(user: bob.user, permission: .readWrite),
      .invite(user: carol.user, permission: .readOnly),
    ]
    let steps = [
      founding, commit(tree, [], chunks: [chunk]),
      commit([], people, keys: [bob.user: bytes32(21), carol.user: bytes32(22)]),
      commit([], [.accept], by: bob), commit([], [.accept], by: carol),
    ]
    for (index, step) in steps.enumerated() {
      var next = step
      next.previous = zone.header.head
      let verdict = zone.fold(next, at: UInt64(index) + 1, digest: bytes32(UInt8(index) + 1))
      guard case .applied = verdict else {
        preconditionFailure("the zone of the fuzz targets can't be made: \(verdict)")
      }
    }
    return zone
  }()
}
