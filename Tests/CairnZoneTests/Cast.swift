import CairnZone

// Who and what appears in the tests of the fold, and short ways to write it down.

func number16(_ value: UInt64) -> Bytes16 { Bytes16(high: 0, low: value) }

func number32(_ value: UInt64) -> Bytes32 {
  guard let bytes = Bytes32([UInt8](repeating: 0, count: 16) + number16(value).bytes) else {
    preconditionFailure("sixteen and sixteen bytes are thirty-two")
  }
  return bytes
}

func person(_ value: UInt64) -> UserID { UserID(number32(value)) }

/// Returns the key to which data for that person is sealed.
func key(of user: UserID) -> Bytes32 {
  guard let key = Bytes32(user.bytes.map { $0 ^ 0xff }) else {
    preconditionFailure("as many bytes as an id has")
  }
  return key
}

func record(_ value: UInt64) -> RecordID { RecordID(number16(value)) }
func chunk(_ value: UInt64) -> ChunkName { ChunkName(number32(value)) }

func name(_ text: String) -> FileName {
  guard let name = FileName(text) else { preconditionFailure("“\(text)” is no file name") }
  return name
}

func at(_ parent: RecordID, _ text: String) -> Place { Place(parent: parent, name: name(text)) }

let ana = person(1)
let bob = person(2)
let cleo = person(3)
let dan = person(4)
let eve = person(5)
let adam = person(6)
let empty = Content(id: ContentID(number32(0)), size: 0, chunks: [])

func content(_ chunks: [ChunkName]) -> Content {
  Content(id: ContentID(number32(99)), size: UInt64(chunks.count), chunks: chunks)
}

extension RecordChange {
  static func file(
    _ id: UInt64, _ parent: RecordID, _ text: String, _ content: Content? = empty
  ) -> RecordChange {
    RecordChange(
      id: CairnZoneTests.record(id), act: .create(.file), place: at(parent, text), content: content)
  }

  static func directory(_ id: UInt64, _ parent: RecordID, _ text: String) -> RecordChange {
    RecordChange(
      id: CairnZoneTests.record(id), act: .create(.directory), place: at(parent, text))
  }

  static func symlink(
    _ id: UInt64, _ parent: RecordID, _ text: String, _ target: [UInt8]? = [46]
  ) -> RecordChange {
    RecordChange(
      id: CairnZoneTests.record(id), act: .create(.symlink), place: at(parent, text),
      target: target)
  }

  static func typed(_ id: UInt64, _ fields: [String: FieldValue?] = [:]) -> RecordChange {
    RecordChange(id: CairnZoneTests.record(id), act: .create(.typed("Note")), fields: fields)
  }

  static func move(_ id: UInt64, _ parent: RecordID, _ text: String) -> RecordChange {
    RecordChange(id: CairnZoneTests.record(id), act: .update, place: at(parent, text))
  }

  static func delete(_ id: UInt64) -> RecordChange {
    RecordChange(id: CairnZoneTests.record(id), act: .delete)
  }
}

/// A log that is written by naming only what matters; everything else follows the head.
struct Log {
  var zone = MemoryZone(zone: ZoneID(number32(7)))

  /// The commit as an honest writer would make it now.
  func next(
    by user: UserID = ana, epoch: UInt64? = nil, raising: Bool = false,
    chunks: [ChunkName] = [], records: [RecordChange] = [], share: [ShareChange] = []
  ) -> Commit {
    var keys: [UserID: Bytes32] = [:]
    for change in share {
      switch change {
      case .invite(let user, _, _) where !zone.header.isMember(user): keys[user] = key(of: user)
      case .claim: keys[user] = key(of: user)
      default: break
      }
    }
    return Commit(
      previous: zone.header.head, author: Author(user: user, device: DeviceID(number16(8))),
      time: 1000, epoch: epoch ?? zone.header.epoch, nextKey: raising ? number32(555) : nil,
      chunks: chunks.map { ChunkEntry(name: $0, size: 1, place: [1]) }, records: records,
      share: share, keys: keys)
  }

  @discardableResult mutating func append(_ commit: Commit) -> Verdict {
    let sequence = zone.header.sequence + 1
    return zone.fold(commit, at: sequence, digest: number32(1000 + sequence))
  }

  @discardableResult mutating func append(
    by user: UserID = ana, _ records: [RecordChange] = [], share: [ShareChange] = [],
    chunks: [ChunkName] = []
  ) -> Verdict {
    append(next(by: user, chunks: chunks, records: records, share: share))
  }

  /// A zone of Ana's after its first commit.
  static func founded(
    _ records: [RecordChange] = [], share: [ShareChange] = [], chunks: [ChunkName] = []
  ) -> Log {
    var log = Log()
    var commit = log.next(epoch: 1, chunks: chunks, records: records, share: share)
    commit.genesis = Genesis(owner: ana, name: "Trip")
    commit.keys[ana] = key(of: ana)
    precondition(log.append(commit).isApplied, "the zone that a test begins with is valid")
    return log
  }

  /// Ana owns; Bob writes, Cleo reads, Dan is pending, Adam administers and only reads; Eve is a
  /// stranger.
  static func shared(_ records: [RecordChange] = []) -> Log {
    var log = Log.founded(
      records,
      share: [
        .title("Trip"), .invite(user: bob, permission: .readWrite),
        .invite(user: cleo, permission: .readOnly), .invite(user: dan, permission: .readWrite),
        .invite(user: adam, permission: .readOnly),
      ])
    for user in [bob, cleo, adam] { log.append(by: user, share: [.accept]) }
    log.append(share: [.setRole(user: adam, role: .administrator)])
    return log
  }
}

extension Verdict {
  var isApplied: Bool { code == nil }

  /// The code of a refusal; nil for a valid commit.
  var code: Refusal.Code? {
    switch self {
    case .applied: nil
    case .refused(let refusal): refusal.code
    }
  }
}
