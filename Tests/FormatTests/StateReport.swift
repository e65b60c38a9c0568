import CairnWire
import CairnZone
import Foundation

@testable import CairnIdentity
@testable import CairnReplica

/// The whole state of a zone, in the form that `Tests/Format` prints. One `==` compares two
/// implementations.
struct StateReport: Codable, Equatable {
  var zone: String
  var sequence: UInt64
  var head: String
  var epoch: UInt64
  var owner: String?
  var keys: [String]
  var name: String
  var quota: UInt64?
  var purged: Bool
  var keyDue: Bool
  var minimumVersion: UInt32
  var revoked: [String]
  var share: ShareReport?
  var records: [RecordReport]
  var bytes: UInt64
  var chunks: [String]
  var carry: UInt32
  var generation: UInt32
  var checkpoints: [UInt64]
  var floor: UInt64?
  var deletions: [String]
  var packs: [String]
  /// The state digest, which is equal if everything is equal.
  var digest: String

  struct ShareReport: Codable, Equatable {
    var title: String
    var publicPermission: UInt8
    var accessRequests: Bool
    var blocked: [String]
    var policy: PolicyReport
    var participants: [ParticipantReport]
    var links: [LinkReport]
  }

  struct PolicyReport: Codable, Equatable {
    var access: UInt8
    var permission: UInt8
    var participantsInvite: Bool
  }

  struct ParticipantReport: Codable, Equatable {
    var user: String
    var role: String
    var permission: UInt8
    var accepted: Bool
  }

  struct LinkReport: Codable, Equatable {
    var id: String
    var boxKey: String
    var oneTime: Bool
    var permission: UInt8
    var expires: Int64?
  }

  struct RecordReport: Codable, Equatable {
    var id: String
    var kind: String
    var creator: String
    var parent: String?
    var name: String?
    var type: String?
    var fields: [String: [String]]?
    var size: UInt64?
    var content: String?
    var executable: Bool?
    var target: String?
    var modified: Int64?
  }

  /// The differences from another report, for people.
  func differences(from other: StateReport) -> [String] {
    var found: [String] = []
    func compare<Part: Equatable>(_ name: String, _ part: KeyPath<StateReport, Part>) {
      if self[keyPath: part] != other[keyPath: part] {
        found.append("\(name): \(self[keyPath: part]) and not \(other[keyPath: part])")
      }
    }
    compare("sequence", \.sequence)
    compare("head", \.head)
    compare("epoch", \.epoch)
    compare("owner", \.owner)
    compare("keys", \.keys)
    compare("name", \.name)
    compare("quota", \.quota)
    compare("purged", \.purged)
    compare("keyDue", \.keyDue)
    compare("minimumVersion", \.minimumVersion)
    compare("revoked", \.revoked)
    compare("share", \.share)
    compare("bytes", \.bytes)
    compare("chunks", \.chunks)
    compare("carry", \.carry)
    compare("generation", \.generation)
    compare("checkpoints", \.checkpoints)
    compare("floor", \.floor)
    compare("deletions", \.deletions)
    compare("packs", \.packs)
    compare("digest", \.digest)
    let mine = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
    let others = Dictionary(other.records.map { ($0.id, $0) }) { first, _ in first }
    for id in Set(mine.keys).union(others.keys).sorted() where mine[id] != others[id] {
      let (one, two) = (String(describing: mine[id]), String(describing: others[id]))
      found.append("record: \(one) and not \(two)")
    }
    return found
  }
}

// MARK: What Cairn folded

extension StateReport {
  init(_ state: MemoryZone) {
    self.init(
      state.header, records: Array(state.records.values), chunks: Array(state.chunks.values),
      deletions: state.deletions.map { ($0.key, $0.value) }, packs: Array(state.keptPacks),
      digest: state.digest)
  }

  init(_ state: IndexedZone) throws {
    self.init(
      state.header, records: try state.records.all(after: nil, limit: .max),
      chunks: try state.chunks.entries(after: nil, limit: .max),
      deletions: try state.records.deletions(),
      packs: try state.chunks.keptPacks(), digest: try state.digest(under: state.header))
  }

  private init(
    _ header: ZoneHeader, records: [Record], chunks: [ChunkEntry],
    deletions: [(id: RecordID, sequence: UInt64)], packs: [PackName], digest: Bytes32
  ) {
    zone = hex(header.zone.bytes)
    sequence = header.sequence
    head = hex(header.head.bytes)
    epoch = header.epoch
    owner = header.owner.map { hex($0.bytes) }
    keys = header.keys.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
      .map { hex($0.key.bytes) + " " + hex($0.value.bytes) }
    name = header.genesis?.name ?? ""
    quota = header.quota
    purged = header.isPurged
    keyDue = header.isRekeyDue
    minimumVersion = header.minimumVersion
    revoked = header.revokedDevices.map { hex($0.user.bytes) + " " + hex($0.device.bytes) }.sorted()
    share = header.share.map { ShareReport($0) }
    self.records = records.map { RecordReport($0) }.sorted { $0.id < $1.id }
    bytes = header.bytes
    self.chunks = chunks.map { hex($0.name.bytes) + " \($0.size)" }.sorted()
    carry = header.carried.rawValue
    generation = header.generation
    checkpoints = header.checkpoints
    floor = header.floor?.checkpoint
    self.deletions = deletions.map { hex($0.id.bytes) + " \($0.sequence)" }.sorted()
    self.packs = packs.map { hex($0.bytes) }.sorted()
    self.digest = hex(digest.bytes)
  }
}

extension StateReport.ShareReport {
  init(_ share: Share) {
    title = share.title
    publicPermission = share.publicPermission.rawValue
    accessRequests = share.allowsAccessRequests
    blocked = share.blocked.map { hex($0.bytes) }.sorted()
    policy = StateReport.PolicyReport(
      access: share.policy.access.rawValue, permission: share.policy.permission?.rawValue ?? 0,
      participantsInvite: share.policy.allowsParticipantsToInvite)
    participants = share.participants.values.map {
      StateReport.ParticipantReport(
        user: hex($0.user.bytes), role: roleName($0.role), permission: $0.permission.rawValue,
        accepted: $0.acceptance == .accepted)
    }.sorted { $0.user < $1.user }
    links = share.links.values.map {
      StateReport.LinkReport(
        id: hex($0.id.bytes), boxKey: hex($0.boxKey.bytes), oneTime: $0.isOneTime,
        permission: $0.permission.rawValue, expires: $0.expires)
    }.sorted { $0.id < $1.id }
  }
}

extension StateReport.RecordReport {
  init(_ record: Record) {
    id = hex(record.id.bytes)
    creator = hex(record.created.user.bytes)
    parent = record.place.map { hex($0.parent.bytes) }
    name = record.place.map { hex($0.name.bytes) }
    target = record.target.map { hex($0) }
    modified = record.attributes.modified
    switch record.type {
    case .file:
      kind = "file"
      size = record.content?.size
      content = record.content.map { hex($0.id.bytes) }
      executable = record.attributes.isExecutable
    case .directory: kind = "directory"
    case .symlink: kind = "symlink"
    case .reference: kind = "reference"
    case .typed(let name):
      kind = "typed"
      type = name
      modified = nil
      fields = Dictionary(
        record.fields.map { ($0.key.precomposedStringWithCanonicalMapping, text(of: $0.value)) }
      ) { first, _ in first }
    }
  }
}

private func text(of value: FieldValue) -> [String] {
  switch value {
  case .bytes(let bytes): ["data", hex(bytes)]
  case .text(let text): ["text", text]
  case .integer(let number): ["integer", String(number)]
  default: ["field", hex(WireField.sorted(["": value]).flatMap { StoredMessage.encode($0) })]
  }
}

private func roleName(_ role: Role) -> String {
  switch role {
  case .owner: "owner"
  case .administrator: "administrator"
  case .privateUser: "invited"
  case .publicUser: "joined"
  }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
}

/// The bytes of hexadecimal digits, or nil for anything else.
func unhex(_ text: String) -> [UInt8]? {
  let digits = text.utf8.map { $0 < 58 ? $0 &- 48 : $0 &- 87 }
  guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
