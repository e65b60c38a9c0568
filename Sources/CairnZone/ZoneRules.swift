/// The rules of changes to what holds for the zone as a whole: owner, limit, end, devices, and what
/// of its past is kept. It knows neither records nor the share's people.
struct ZoneRules {
  /// Who signed the commit.
  let author: Author
  /// What the author could do before the commit.
  let rights: Set<Right>
  /// Whether the author took part before the commit, or was invited.
  let isMember: Bool

  /// Takes the zone's changes of a commit, after those of its share.
  func apply(
    _ changes: [ShareChange], to header: inout ZoneHeader, stamp: Stamp
  ) throws(Refused) {
    for case .zone(let change) in changes {
      switch change {
      case .transfer(let user): try transfer(to: user, header: &header, stamp: stamp)
      case .purge:
        try requireOwner("end the zone")
        header.isPurged = true
        header.share = nil
      case .quota(let limit):
        try requireOwner("set a limit")
        header.quota = limit
      case .revokeDevice(let device): try revoke(device, in: &header)
      case .minimumVersion(let version):
        try requireOwner("say which version the zone needs")
        guard version >= header.minimumVersion else {
          throw Refused(.invalidArguments, nil, "The version that a zone needs never gets lower.")
        }
        header.minimumVersion = version
      case .carry(let carried):
        try requireOwner("say which attributes the zone carries")
        header.carried = carried
      case .history(let policy):
        try requireOwner("say what is kept of the past")
        header.history = policy
      case .checkpoint: try checkpoint(at: stamp.sequence, in: &header)
      case .floor(let floor): try raise(floor, in: &header)
      case .retire(let retirement):
        try requireOwner("close older packs")
        guard retirement.generation > header.generation else {
          throw Refused(.invalidArguments, nil, "The open packs' generation only goes up.")
        }
        header.generation = retirement.generation
      case .forget(let forgetting):
        try requireOwner("have versions forgotten")
        guard !forgetting.versions.isEmpty,
          forgetting.versions.allSatisfy({ (1..<stamp.sequence).contains($0) })
        else {
          throw Refused(
            .invalidArguments, forgetting.record, "Only versions of the past can be forgotten.")
        }
      case .closePast: try closePast(at: stamp.sequence, in: &header)
      case .goesOn(let site): try goOn(at: site, in: &header)
      }
    }
  }

  private func checkpoint(at sequence: UInt64, in header: inout ZoneHeader) throws(Refused) {
    guard rights.contains(.administer) else {
      throw Refused(
        .permissionFailure, nil, "Only the owner or an administrator may set a checkpoint.")
    }
    guard header.checkpoints.last != sequence else { return }
    header.checkpoints = header.checkpoints.suffix(Floor.mostCheckpoints - 1) + [sequence]
  }

  /// That the digest is right is checked where the state is at hand.
  private func raise(_ floor: Floor, in header: inout ZoneHeader) throws(Refused) {
    try requireOwner("raise the floor")
    guard header.checkpoints.contains(floor.checkpoint), floor.forgotten <= floor.checkpoint,
      floor.forgotten >= header.floor?.forgotten ?? 0
    else {
      throw Refused(
        .invalidArguments, nil, "A floor stands at a checkpoint, and forgets what is before.")
    }
    header.floor = floor
    header.checkpoints.removeAll { $0 <= floor.checkpoint }
  }

  /// That the commit raises the epoch is checked where all of it is at hand.
  private func closePast(at sequence: UInt64, in header: inout ZoneHeader) throws(Refused) {
    try requireOwner("close the past")
    guard header.closings.last?.sequence != sequence else { return }
    guard header.closings.count < ClosedPast.most else {
      throw Refused(
        .limitExceeded, nil, "The past of a zone is closed \(ClosedPast.most) times at most.")
    }
    header.closings.append(ClosedPast(sequence: sequence, epoch: header.epoch))
  }

  /// That the commit is the last of an epoch is checked where all of it is at hand.
  private func goOn(at site: Site, in header: inout ZoneHeader) throws(Refused) {
    // Of a public zone the author of each entry is its founder.
    if header.kind == .owned { try requireOwner("say where the zone goes on") }
    guard site.isWhole, site.id != header.site?.id else {
      throw Refused(.invalidArguments, nil, "A zone goes on at another place that can be found.")
    }
    header.site = site
  }

  private func transfer(
    to user: UserID, header: inout ZoneHeader, stamp: Stamp
  ) throws(Refused) {
    try requireOwner("hand the zone to somebody else")
    guard let owner = header.owner, var share = header.share else {
      throw Refused(.zoneNotFound, nil, "The zone isn't shared, or its share was stopped.")
    }
    guard user != owner, share.participants[user]?.acceptance == .accepted else {
      throw Refused(
        .invalidArguments, nil, "The new owner must be somebody who takes part in the share.")
    }
    guard share.participants[user]?.firstEpoch == 0 else {
      throw Refused(
        .invalidArguments, nil,
        "The new owner must be somebody who sees the past: what is kept of it is theirs to keep.")
    }
    let isPublic = share.publicPermission != .none
    share.participants[user] = nil
    share.participants[owner] = Participant(
      user: owner, role: isPublic ? .publicUser : .privateUser,
      permission: isPublic ? share.publicPermission : .readWrite, acceptance: .accepted)
    share.owner = user
    share.changed = stamp
    header.share = share
    header.owner = user
  }

  private func revoke(_ device: DeviceID, in header: inout ZoneHeader) throws(Refused) {
    // Also who is only invited: their lost device must not accept.
    guard isMember else {
      throw Refused(.permissionFailure, nil, "Only who takes part may revoke a device here.")
    }
    guard device != author.device else {
      throw Refused(.invalidArguments, nil, "A device can't revoke itself.")
    }
    header.revokedDevices.insert(Author(user: author.user, device: device))
    // It had the key of this epoch. That of a public zone everybody has.
    if header.kind == .owned { header.isRekeyDue = true }
  }

  private func requireOwner(_ what: String) throws(Refused) {
    guard rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may \(what).")
    }
  }
}

extension ZoneHeader {
  /// Whether somebody who could read before can't any more: then the key must change. A link that
  /// is gone because somebody claimed it, as the changes say, let that person in and nobody out.
  func isNarrower(than before: ZoneHeader, by changes: [ShareChange]) -> Bool {
    guard let old = before.share else { return false }
    guard let new = share else { return !old.participants.isEmpty || !old.links.isEmpty }
    let members = old.participants.keys.filter { new.participants[$0] == nil && $0 != new.owner }
    let claimed = changes.compactMap { if case .claim(let link, _) = $0 { link } else { nil } }
    let lost = old.links.keys.filter { new.links[$0] == nil && !claimed.contains($0) }
    return !members.isEmpty || !lost.isEmpty
  }
}
