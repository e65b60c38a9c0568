import CairnContainer
import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// A stolen device: its keys, and the container at that time. The thief works in that copy, where
/// nobody stops them. After the revocation they bring the result into the real container, under
/// names that are valid by their keys.
struct Theft {
  let account: Account
  let copy: MemoryStore
  /// The key epoch of the zone at that time.
  let epoch: UInt64
  /// A Boolean value that indicates whether the zone has revoked the device and has another key.
  var isShut = false
}

/// The attacks of admitted people and of thieves of their devices.
extension Story {
  /// Lets in a second device, which is stolen at once.
  func steal(_ person: Int) throws {
    guard thefts[person] == nil, !devices[person].isOut else { return }
    try asPerson(person, "device stolen") { container, zone in
      let code = try container.devices.linkCode(path: [47], now: 0)
      let join = DeviceJoin(code, in: store, deviceName: "laptop")
      _ = try join.advance()
      _ = try container.devices.answerJoins(now: 0)
      guard let account = try join.advance() else { return }
      join.clean()
      thefts[person] = Theft(account: account, copy: store.copy(), epoch: zone.header.epoch)
    }
  }

  /// Revokes it. Then the owner's device gives the zone another key.
  func revokeStolen(_ person: Int) throws {
    guard let theft = thefts[person], !theft.isShut, !devices[0].isWorking else { return }
    let device = Author(user: devices[person].account.user, device: theft.account.device.id)
    try asPerson(person, "stolen device revoked") { container, _ in
      try container.revocation.revoke(device.device)
      _ = try container.revocation.revokeInZones()
    }
    try asPerson(0, nil) { container, zone in
      try container.access.rekeyIfDue(zone)
      let header = zone.header
      thefts[person]?.isShut =
        header.epoch > theft.epoch && header.revokedDevices.contains(device)
    }
  }

  /// Lets the thief act in their copy, and brings the result along if the device is revoked. It
  /// must stop and deceive nobody.
  func forge(_ person: Int, _ number: Int) throws {
    guard let theft = thefts[person] else { return }
    count("forgery")
    do {
      let container = try Container(
        store: theft.copy, id: scene.container, account: theft.account,
        indexes: try IndexFiles(inMemory: {}))
      try container.refresh()
      guard let zone = try container.zone(scene.zone) else { return }
      try zone.pull()
      try forge(number, person, container, zone)
    } catch let error as CloudError {
      trace.note("    the thief can't: \(error)")
    }
    guard theft.isShut || script.sabotage == .unrevokedThief else { return }
    count("forgery brought along")
    for key in try theft.copy.list("", after: nil, limit: .max)
    where try store.size(of: key) == nil {
      guard let bytes = try theft.copy.get(key), try store.put(key, bytes) == .stored else {
        continue
      }
      trace.note("    the thief puts \(key)")
      planted.append(key)
    }
    for device in devices where !device.isWorking { device.hintZone() }
  }

  private func forge(
    _ number: Int, _ person: Int, _ container: Container, _ zone: Zone
  ) throws {
    switch number % 6 {
    case 0, 1, 2:
      // People write text.
      var rest = [0xFF, UInt8(truncatingIfNeeded: number), 0xFE][...]
      let content = try zone.ingest { room in
        let piece = rest.prefix(room.count)
        room.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
      guard let name = FileName("forged \(number)") else { return }
      try zone.save([
        RecordChange(
          id: .random(), act: .create(.file), place: .init(parent: .root, name: name),
          content: content, attributes: Attributes(isExecutable: false, modified: 1))
      ])
    case 3:
      let files = try zone.read { view in
        try view.children(of: .root).filter { try view.record($0)?.type == .file }
      }
      try zone.save(files.prefix(5).map { RecordChange(id: $0, act: .delete) })
    case 4:
      try container.revocation.revoke(devices[person].account.device.id)
      _ = try container.revocation.revokeInZones()
    default:
      if person > 0 { return try container.participation.leave(zone) }
      for user in zone.header.share?.participants.keys.sorted() ?? [] {
        try container.access.remove(user, from: zone)
      }
    }
  }

  /// Lets an administrator use all their rights against the others.
  func goMad(_ person: Int, _ number: Int) throws {
    guard person > 0, !devices[person].isOut else { return }
    let user = devices[person].account.user
    try asPerson(0, "administrator made") { container, zone in
      guard zone.header.share?.participants[user]?.acceptance == .accepted,
        zone.header.share?.participants[user]?.role == .privateUser
      else { return }
      try container.access.setRole(.administrator, of: user, in: zone)
    }
    let others = devices.indices.filter { $0 != person && $0 > 0 }
    let other = others.isEmpty ? nil : devices[others[number / 6 % others.count]].account.user
    guard other != nil || number % 6 == 5 else { return }
    try asPerson(person, "administrator mad") { container, zone in
      switch (number % 6, other) {
      case (0, let other?), (1, let other?): try container.access.remove(other, from: zone)
      case (2, let other?): try container.access.setPermission(.readOnly, of: other, in: zone)
      case (3, let other?): try container.requests.block(other, in: zone)
      case (4, let other?): _ = try container.sharing.invite(other, to: zone, permission: .readOnly)
      default: try container.access.setPublic(.readOnly, of: zone)
      }
    }
  }

  /// Reverts an administrator's role and actions, as the owner.
  func calmDown() throws {
    guard script.hasMadness else { return }
    try asPerson(0, nil) { container, zone in
      if zone.header.share?.publicPermission != Permission.none {
        try container.access.setPublic(.none, of: zone)
      }
      for user in zone.header.share?.blocked.sorted() ?? [] {
        try container.requests.unblock(user, in: zone)
      }
      for (user, participant) in zone.header.share?.participants.sorted(by: { $0.key < $1.key })
        ?? [] where participant.role == .administrator
      {
        try container.access.setRole(.privateUser, of: user, in: zone)
      }
    }
  }

  /// Runs a closure with a person's own program, beside their daemon.
  func asPerson(
    _ person: Int, _ what: String?, _ body: (Container, Zone) throws -> Void
  ) throws {
    guard !devices[person].isWorking, !devices[person].isOut else { return }
    if let what { count(what) }
    devices[person].stop()
    do {
      let open = try Container(
        store: store, id: scene.container, account: devices[person].account,
        indexes: devices[person].zones)
      guard let zone = try open.zone(scene.zone) else { return }
      try zone.pull()
      try body(open, zone)
      for device in devices { device.hintZone() }
    } catch let error as CloudError {
      trace.note("    \(error)")
    }
  }
}

extension Script {
  /// A Boolean value that indicates whether an administrator attacks.
  var hasMadness: Bool { steps.contains { if case .goMad = $0 { true } else { false } } }
}
