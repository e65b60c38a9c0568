import CairnWire
import CairnZone
import SwiftProtobuf

@testable import CairnIdentity
@testable import CairnReplica

extension FuzzTarget {
  /// The log of a zone: the sealed entry, and its commit up to the replay.
  static let logTargets = [
    FuzzTarget("entry") {
      [try sealed(samples[0]), try sealed(samples[1])]
    } check: { bytes in
      _ = try unlessRefused { try EntryCodec.header(of: bytes) }
      _ = EntryCodec.nonce(of: bytes, zone: Cast.zone, keys: Cast.ring)
      for sequence in [1, 6] as [UInt64] {
        let opened = try unlessRefused {
          try EntryCodec.open(
            bytes, zone: Cast.zone, sequence: sequence, keys: Cast.ring,
            opener: .init(account: Cast.ana)
          ) { Cast.signKey($0) }
        }
        if let opened { try check(opened.commit) }
      }
    },

    // The contents of the seal. The first byte selects the signer. Bodies that are no commit are
    // refused before that.
    FuzzTarget("commit") {
      samples.map { sample in
        let nonce = sample.genesis == nil ? nil : Cast.nonce
        return [0] + StoredMessage.encode(WireCommit(sample, nonce: nonce))
      } + [try grown([0x80, 0x40, 5, 0x8A, 0x40, 1, 7]), try grown([0xF8, 0x3F, 5])]
    } check: { bytes in
      var parts = Parts(bytes)
      let people = [Cast.ana.author, Cast.bob, Cast.carol, Cast.dave]
      let author = people[Int(parts.byte() & 3)]
      let body = parts.all()
      let wire = try unlessRefused {
        try CommitBounds.check(body)
        return try StoredMessage.decode(
          body, as: WireCommit.self, "commit", limit: EntryCodec.limit)
      }
      guard let wire, let (commit, nonce) = try unlessRefused({ try wire.commit(epoch: 1) }) else {
        return
      }
      // Only two things may be skipped: a type name where none belongs, and fields of later
      // versions.
      let isStray = wire.records.contains { $0.kind != .typed && !$0.typeName.isEmpty }
      try must(StoredMessage.encode(wire) == body, "bytes of a commit that say nothing")
      try must(
        isStray
          || StoredMessage.encode(WireCommit(commit, nonce: nonce))
            == known(body, as: WireCommit.self),
        "a commit changes")
      try check(commit)
      var next = commit
      next.author = author
      try fold(next)
      next.previous = .zero
      var empty = MemoryZone(zone: Cast.zone)
      _ = empty.fold(next, at: 1, digest: Cast.bytes32(1))
      try checkTree(empty)
    },
  ]

  /// Judges a commit by the replay, in the zone of the cast.
  private static func fold(_ commit: Commit) throws {
    var zone = Cast.zoneState
    var commit = commit
    commit.previous = zone.header.head
    let before = zone
    let digest = Cast.bytes32(99)
    let verdict = zone.fold(commit, at: 6, digest: digest)
    try must(
      try Fold.judge(commit, at: 6, digest: digest, on: before) == verdict,
      "the same commit is judged in two ways")
    switch verdict {
    case .applied(let delta):
      try must(commit.author != Cast.dave, "a stranger did something")
      try must(
        commit.author != Cast.carol || delta.saved.isEmpty && delta.deleted.isEmpty,
        "a reader wrote")
      try must(
        !delta.saved.keys.contains(.root) && !delta.deleted.keys.contains(.root),
        "the root changed")
    case .refused(let refusal):
      try must(!refusal.reason.isEmpty, "a refusal without a reason")
      try must(zone.records == before.records, "a refused commit has an effect")
    }
    try checkTree(zone)
    try FuzzIndex.shared.check(verdict, after: before)
  }

  /// Checks the properties of every valid commit.
  private static func check(_ commit: Commit) throws {
    for record in commit.records {
      guard let name = record.place?.name.bytes else { continue }
      try must(FileName(name) != nil, "a name that Linux doesn't know")
    }
  }

  /// Checks that every record leads to the root, and that the index by name contains it.
  private static func checkTree(_ zone: MemoryZone) throws {
    for record in zone.records.values {
      guard let place = record.place else { continue }
      try must(zone.child(of: place.parent, named: place.name) == record.id, "a name is lost")
      var seen: Set<RecordID> = [record.id]
      var above = place.parent
      while above != .root {
        try must(seen.insert(above).inserted, "a cycle")
        guard let parent = zone.record(above), parent.type == .directory, let next = parent.place
        else { throw Finding("a record is in no directory") }
        above = next.parent
      }
    }
  }

  /// Returns a commit with fields that no version has yet, in the commit and in a record.
  private static func grown(_ fields: [UInt8]) throws -> [UInt8] {
    var wire = WireCommit(samples[1], nonce: nil)
    wire.records[0] = try WireRecordChange(
      serializedBytes: StoredMessage.encode(wire.records[0]) + fields)
    return [0] + StoredMessage.encode(wire) + fields
  }

  private static func sealed(_ commit: Commit) throws -> [UInt8] {
    let isFirst = commit.genesis != nil
    return try EntryCodec.seal(
      commit, zone: Cast.zone, sequence: isFirst ? 1 : 6, key: Cast.key,
      nonce: isFirst ? Cast.nonce : nil, account: Cast.ana)
  }

  /// Commits that contain every possible part.
  private static let samples: [Commit] = {
    let link = LinkID(Cast.bytes32(12))
    let content = Content(size: 10, chunks: [Cast.chunk.name, Cast.chunk.name])
    let records = [
      RecordChange(
        id: Cast.record(10), act: .create(.file), place: Cast.place(Cast.record(1), "new"),
        content: content, attributes: Attributes(isExecutable: true, modified: .min)),
      RecordChange(id: Cast.record(11), act: .create(.directory), place: Cast.place(.root, "d")),
      RecordChange(
        id: Cast.record(12), act: .create(.symlink), place: Cast.place(Cast.record(11), "s"),
        target: Array("../x".utf8)),
      RecordChange(
        id: Cast.record(13), act: .create(.reference), place: Cast.place(.root, "r"),
        target: ZonePart(Cast.zone, base: Cast.record(1)).bytes),
      RecordChange(
        id: Cast.record(14), act: .create(.typed("note")),
        fields: ["a": .text("ü"), "b": .bytes([0]), "c": .integer(.min), "d": FieldValue?.none]),
      RecordChange(id: Cast.record(2), act: .update, place: Cast.place(Cast.record(11), "b")),
      RecordChange(id: Cast.record(4), act: .delete),
    ]
    let shares: [ShareChange] = [
      .title("Trip"), .invite(user: Cast.dave.user, permission: .readWrite), .accept,
      .remove(user: Cast.bob.user), .stop,
      .setPermission(user: Cast.bob.user, permission: .readOnly),
      .setRole(user: Cast.bob.user, role: .administrator), .setPublic(.readOnly),
      .addLink(
        Link(id: link, boxKey: link.value, isOneTime: true, permission: .readOnly, expires: -1)),
      .removeLink(link), .claim(link: link, proof: [UInt8](repeating: 1, count: 64)),
      .setAccessRequests(true), .block(user: Cast.bob.user), .unblock(user: Cast.bob.user),
      .offer(to: Cast.bob.user), .offer(to: nil), .takeOver,
      .zone(.succession(Succession(people: [Cast.bob.user]))), .zone(.succession(nil)),
      .zone(.confirm(Cast.bob.user)), .zone(.confirm(nil)), .purge, .quota(nil), .quota(.max),
      .revokeDevice(Cast.bob.device), .minimumVersion(1), .minimumVersion(2),
      .setPolicy(
        SharePolicy(access: .named, permission: .readOnly, allowsParticipantsToInvite: true)),
    ]
    return [
      Cast.founding,
      Cast.commit(records, [], chunks: [Cast.chunk]), Cast.commit([], shares),
      Cast.commit(
        [], [shares[1]],
        keys: [Cast.dave.user: Cast.bytes32(23), Cast.ana.user: Cast.bytes32(24)]),
    ] + records.map { Cast.commit([$0], []) } + shares.map { Cast.commit([], [$0]) }
  }()
}
