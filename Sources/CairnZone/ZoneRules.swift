/// The rules for changes to the zone as a whole: owner, limit, end, devices, and history. They know
/// neither records nor the share's people.
struct ZoneRules {
  /// The signer of the commit.
  let author: Author
  /// The author's rights before the commit.
  let rights: Set<Right>
  /// A Boolean value that indicates whether the author was a participant or invited before the
  /// commit.
  let isMember: Bool

  /// Applies a commit's changes of the zone, after those of its share.
  func apply(
    _ changes: [ShareChange], to header: inout ZoneHeader, stamp: Stamp
  ) throws(Refused) {
    for case .zone(let change) in changes {
      switch change {
      case .offer(let user): try offer(to: user, header: &header)
      case .takeOver: try takeOver(of: &header, at: stamp.sequence)
      case .succession(let succession): try decide(succession, in: &header)
      case .confirm(let claimant): try confirm(claimant, stamp: stamp, in: &header)
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

  /// Moves the log start. The digest is checked where the state is available.
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

  /// Adds a history cutoff. That the commit raises the epoch is checked where the whole commit is
  /// available.
  private func closePast(at sequence: UInt64, in header: inout ZoneHeader) throws(Refused) {
    try requireOwner("close the past")
    guard header.closings.last?.sequence != sequence else { return }
    guard header.closings.count < ClosedPast.most else {
      throw Refused(
        .limitExceeded, nil, "The past of a zone is closed \(ClosedPast.most) times at most.")
    }
    header.closings.append(ClosedPast(sequence: sequence, epoch: header.epoch))
  }

  /// Sets the location. That the commit is the last of an epoch is checked where the whole commit
  /// is available.
  private func goOn(at site: Site, in header: inout ZoneHeader) throws(Refused) {
    // In a public zone the author of each entry is its founder.
    if header.kind == .owned { try requireOwner("say where the zone goes on") }
    guard site.isWhole, site.id != header.site?.id else {
      throw Refused(.invalidArguments, nil, "A zone goes on at another place that can be found.")
    }
    header.site = site
  }

  private func offer(to user: UserID?, header: inout ZoneHeader) throws(Refused) {
    guard rights.contains(.own) || (user == nil && header.share?.offered == author.user) else {
      throw Refused(.permissionFailure, nil, "Only the owner may offer the zone.")
    }
    guard let share = header.share else {
      throw Refused(.zoneNotFound, nil, "The zone isn't shared, or its share was stopped.")
    }
    if let user { try requireHeir(user, in: share) }
    header.share?.offered = user
  }

  private func decide(
    _ succession: Succession?, in header: inout ZoneHeader
  ) throws(Refused) {
    try requireOwner("name successors")
    guard let share = header.share else {
      throw Refused(.zoneNotFound, nil, "The zone isn't shared, or its share was stopped.")
    }
    if let succession {
      // Two groups could confirm two claims otherwise.
      guard !succession.people.isEmpty, Int(succession.needed) > succession.people.count / 2 else {
        throw Refused(
          .invalidArguments, nil, "More than half of the successors must confirm a claim.")
      }
      for user in succession.people.sorted() { try requireHeir(user, in: share) }
    }
    header.share?.succession = succession
  }

  private func confirm(
    _ claimant: UserID?, stamp: Stamp, in header: inout ZoneHeader
  ) throws(Refused) {
    guard let succession = header.share?.succession, succession.people.contains(author.user) else {
      throw Refused(
        .permissionFailure, nil, "Only a successor that the owner named may claim the ownership.")
    }
    guard claimant == nil || claimant == author.user || claimant.flatMap(succession.claim) != nil
    else {
      throw Refused(.invalidArguments, nil, "The person doesn't claim the ownership.")
    }
    header.share?.succession?.confirm(claimant, by: stamp)
  }

  /// Checks that a person may own the zone: an accepted participant who sees the past, because the
  /// owner decides what is kept of it.
  private func requireHeir(_ user: UserID, in share: Share) throws(Refused) {
    guard share.participants[user]?.acceptance == .accepted else {
      throw Refused(
        .invalidArguments, nil, "The new owner must be a participant who has accepted.")
    }
    guard share.participants[user]?.firstEpoch == 0 else {
      throw Refused(
        .invalidArguments, nil,
        "The new owner must be somebody who sees the past: what is kept of it is theirs to keep.")
    }
  }

  private func takeOver(of header: inout ZoneHeader, at sequence: UInt64) throws(Refused) {
    guard let owner = header.owner, var share = header.share else {
      throw Refused(.zoneNotFound, nil, "The zone isn't shared, or its share was stopped.")
    }
    let user = author.user
    guard share.offered == user || share.succession?.allows(user, at: sequence) == true else {
      throw Refused(
        .permissionFailure, nil,
        "The owner doesn't offer the zone to this person, and no claim of theirs is confirmed.")
    }
    try requireHeir(user, in: share)
    let isPublic = share.publicPermission != .none
    share.participants[user] = nil
    share.participants[owner] = Participant(
      user: owner, role: isPublic ? .publicUser : .privateUser,
      permission: isPublic ? share.publicPermission : .readWrite, acceptance: .accepted)
    share.owner = user
    share.offered = nil
    // It was the former owner's decision.
    share.succession = nil
    header.share = share
    header.owner = user
  }

  private func revoke(_ device: DeviceID, in header: inout ZoneHeader) throws(Refused) {
    // Also an invited person: their lost device must not accept.
    guard isMember else {
      throw Refused(.permissionFailure, nil, "Only who takes part may revoke a device here.")
    }
    guard device != author.device else {
      throw Refused(.invalidArguments, nil, "A device can't revoke itself.")
    }
    header.revokedDevices.insert(Author(user: author.user, device: device))
    // The device had the key of this epoch. Everybody has the key of a public zone.
    if header.kind == .owned { header.isRekeyDue = true }
  }

  private func requireOwner(_ what: String) throws(Refused) {
    guard rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may \(what).")
    }
  }
}

extension ZoneHeader {
  /// Returns whether a former reader lost access, so that the key must change. A link that
  /// disappeared because of a claim admitted that person and excluded nobody.
  func isNarrower(than before: ZoneHeader, by changes: [ShareChange]) -> Bool {
    guard let old = before.share else { return false }
    guard let new = share else { return !old.participants.isEmpty || !old.links.isEmpty }
    let members = old.participants.keys.filter { new.participants[$0] == nil && $0 != new.owner }
    let claimed = changes.compactMap { if case .claim(let link, _) = $0 { link } else { nil } }
    let lost = old.links.keys.filter { new.links[$0] == nil && !claimed.contains($0) }
    return !members.isEmpty || !lost.isEmpty
  }
}
