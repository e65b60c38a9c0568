/// The rules of share changes (CLOUDKIT.md §1.4, §2.2): who may make them, and what becomes of the
/// share. It knows one commit's author and nothing of records.
struct ShareRules {
  /// The zone's owner.
  let owner: UserID?
  /// Who signed the commit.
  let author: UserID
  /// What the author could do before the commit.
  let rights: Set<Right>

  /// The share after all changes, in their order. The stamp is set if anything came out different.
  func share(
    after changes: [ShareChange], from before: Share?, stamp: Stamp
  ) throws(Refused) -> Share? {
    var share = before
    for change in changes {
      switch change {
      case .title(let title): try setTitle(title, of: &share, stamp: stamp)
      case .invite(let user, let permission):
        share = try inviting(user, permission, to: existing(share))
      case .accept: share = try accepting(existing(share))
      case .remove(let user): share = try removing(user, from: existing(share))
      case .stop: share = try stopped(share)
      }
    }
    if share != before { share?.changed = stamp }
    return share
  }

  private func existing(_ share: Share?) throws(Refused) -> Share {
    guard let share else {
      throw Refused(.zoneNotFound, nil, "The zone isn't shared, or its share was stopped.")
    }
    return share
  }

  private func setTitle(
    _ title: String, of share: inout Share?, stamp: Stamp
  ) throws(Refused) {
    guard let owner, rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may start or rename a share.")
    }
    guard !title.isEmpty else {
      throw Refused(.invalidArguments, nil, "A share needs a title.")
    }
    if share == nil {
      share = Share(owner: owner, title: title, changed: stamp)
    } else {
      share?.title = title
    }
  }

  private func inviting(
    _ user: UserID, _ permission: Permission, to share: Share
  ) throws(Refused) -> Share {
    guard rights.contains(.administer) else {
      throw Refused(.permissionFailure, nil, "Only the owner or an administrator may invite.")
    }
    guard user != owner else {
      throw Refused(.invalidArguments, nil, "The owner is in the share already.")
    }
    guard permission != .none else {
      throw Refused(
        .invalidArguments, nil, "Invite with read-only or read-write; to shut out, remove.")
    }
    guard share.publicPermission == .none else {
      throw Refused(
        .invalidArguments, nil, "Nobody is invited by name while anybody with the link may join.")
    }
    var share = share
    if share.participants[user] != nil {
      share.participants[user]?.permission = permission
      return share
    }
    guard share.participants.count < Share.maximumParticipantCount else {
      throw Refused(
        .tooManyParticipants, nil,
        "The share has \(Share.maximumParticipantCount) participants already; remove one first.")
    }
    share.participants[user] = Participant(
      user: user, role: .privateUser, permission: permission, acceptance: .pending)
    return share
  }

  private func accepting(_ share: Share) throws(Refused) -> Share {
    guard share.participants[author] != nil else {
      throw Refused(
        .permissionFailure, nil, "Only an invited person may accept; ask for an invitation.")
    }
    var share = share
    share.participants[author]?.acceptance = .accepted
    return share
  }

  private func removing(_ user: UserID, from share: Share) throws(Refused) -> Share {
    // Leaving needs no right, but acceptance: a pending person may accept and nothing else.
    let leaves = user == author && share.participants[user]?.acceptance == .accepted
    guard leaves || rights.contains(.administer) else {
      if user == author, share.participants[user] == nil {
        throw Refused(.unknownItem, nil, "The person isn't in the share.")
      }
      throw Refused(
        .permissionFailure, nil, "Only the owner or an administrator may remove somebody.")
    }
    guard user != owner else {
      throw Refused(.invalidArguments, nil, "The owner can't be removed; stop the share instead.")
    }
    var share = share
    guard share.participants.removeValue(forKey: user) != nil else {
      throw Refused(.unknownItem, nil, "The person isn't in the share.")
    }
    return share
  }

  private func stopped(_ share: Share?) throws(Refused) -> Share? {
    guard rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may stop a share.")
    }
    _ = try existing(share)
    return nil
  }
}
