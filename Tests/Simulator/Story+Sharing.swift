import CairnContainer
import CairnIdentity
import CairnReplica
import CairnZone

/// The owner's actions on participants.
extension Story {
  func setPermission(_ person: Int, _ mayWrite: Bool) throws {
    try asOwner(of: person, "permission changed") { container, zone, user in
      try container.access.setPermission(mayWrite ? .readWrite : .readOnly, of: user, in: zone)
    }
  }

  func remove(_ person: Int) throws {
    try asOwner(of: person, "person removed") { container, zone, user in
      guard zone.header.share?.participants[user] != nil else { return }
      try container.access.remove(user, from: zone)
    }
  }

  func invite(_ person: Int, _ mayWrite: Bool, isFromNow: Bool = false) throws {
    let what = isFromNow ? "person invited from now" : "person invited"
    try asOwner(of: person, what) { container, zone, user in
      guard zone.header.share?.participants[user] == nil else { return }
      _ = try container.sharing.invite(
        [user], to: zone, permission: mayWrite ? .readWrite : .readOnly, fromNow: isFromNow)
    }
  }

  /// Invites removed people again, so that everything can be compared.
  func inviteEverybody() throws {
    let removed = script.steps.contains { if case .remove = $0 { true } else { false } }
    guard removed || script.hasMadness else { return }
    for device in devices.dropFirst() { try invite(device.number, true) }
  }

  private func asOwner(
    of person: Int, _ what: String, _ body: (Container, Zone, UserID) throws -> Void
  ) throws {
    guard person > 0, !devices[0].isWorking else { return }
    count(what)
    devices[0].stop()
    do {
      let open = try Container(
        store: store, id: scene.container, account: devices[0].account,
        indexes: devices[0].zones)
      guard let zone = try open.zone(scene.zone) else { return }
      try zone.pull()
      try body(open, zone, devices[person].account.user)
      for device in devices { device.hintZone() }
    } catch let error as CloudError {
      trace.note("    \(error)")
    }
  }
}
