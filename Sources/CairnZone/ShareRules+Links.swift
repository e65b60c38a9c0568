/// The rules of everything that isn't about one named person: links, their claims, access for
/// anyone, and who is shut out.
extension ShareRules {
  /// Named people and anyone with the link exclude each other: going to anyone, every named entry
  /// goes, and who had accepted stays as one of many; going back, everybody but the owner goes.
  func setPublic(_ permission: Permission, of share: inout Share) throws(Refused) {
    try requireAdministration("change link sharing")
    try requireGiving(permission)
    let before = share.publicPermission
    guard permission != before else { return }
    if permission != .none {
      guard share.policy.access != .named else {
        throw Refused(
          .managedAccountRestricted, nil, "The share's policy lets only named people in.")
      }
      try requirePolicy(permission, in: share)
    }
    share.publicPermission = permission
    if permission == .none {
      share.participants = [:]
      share.links = [:]
    } else if before == .none {
      share.links = [:]
      share.participants = share.participants.filter { $0.value.acceptance == .accepted }
      for user in share.participants.keys { share.participants[user]?.role = .publicUser }
    } else if permission == .readOnly {
      share.removePublicLinks()
    }
    for user in share.participants.keys { share.participants[user]?.permission = permission }
  }

  func add(_ link: Link, to share: inout Share) throws(Refused) {
    try requireAdministration("make links")
    if link.isOneTime { try requireGiving(link.permission) }
    try requireClosing(before: link.firstEpoch)
    guard share.links[link.id] == nil else {
      throw Refused(.invalidArguments, nil, "The share has that link already.")
    }
    guard share.links.count < Share.maximumLinkCount else {
      throw Refused(.limitExceeded, nil, "The share has too many links; remove one first.")
    }
    if link.isOneTime {
      try requireNamedPeople(in: share)
      try requireRoom(in: share)
      guard link.permission != .none else {
        throw Refused(.invalidArguments, nil, "A link gives read-only or read-write access.")
      }
      try requirePolicy(link.permission, in: share)
    } else {
      guard share.publicPermission != .none else {
        throw Refused(
          .invalidArguments, nil,
          "A link for anyone needs a public permission: read-only or read-write.")
      }
    }
    share.links[link.id] = link
  }

  func removeLink(_ id: LinkID, from share: inout Share) throws(Refused) {
    try requireAdministration("remove links")
    guard share.links.removeValue(forKey: id) != nil else {
      throw Refused(.unknownItem, nil, "The share has no such link.")
    }
  }

  func claim(_ id: LinkID, of share: inout Share) throws(Refused) {
    guard let link = share.links[id] else {
      throw Refused(
        .permissionFailure, nil,
        "The link no longer works: it was used, revoked, or replaced.")
    }
    guard author != owner, share.participants[author]?.acceptance != .accepted else {
      throw Refused(.invalidArguments, nil, "The person takes part in the share already.")
    }
    guard !share.blocked.contains(author) else {
      throw Refused(.permissionFailure, nil, "The person is blocked in this share.")
    }
    if let expires = link.expires, stamp.time > expires {
      throw Refused(.permissionFailure, nil, "The link has expired; ask for a new one.")
    }
    if link.isOneTime {
      share.links[id] = nil
      share.participants[author] = Participant(
        user: author, role: .privateUser, permission: link.permission, acceptance: .accepted,
        firstEpoch: link.firstEpoch)
      return
    }
    if share.participants[author] == nil { try requireRoom(in: share) }
    share.participants[author] = Participant(
      user: author, role: .publicUser, permission: share.publicPermission, acceptance: .accepted,
      firstEpoch: link.firstEpoch)
  }

  func block(_ user: UserID, in share: inout Share) throws(Refused) {
    try requireAdministration("block people")
    try requireOther(user, "The owner can't be blocked.")
    guard user != author else {
      throw Refused(.invalidArguments, nil, "You can't block yourself.")
    }
    guard share.blocked.count < Share.maximumBlockedCount else {
      throw Refused(.limitExceeded, nil, "The share has too many blocked persons.")
    }
    share.participants[user] = nil
    share.blocked.insert(user)
    share.removePublicLinks()
  }

  func unblock(_ user: UserID, in share: inout Share) throws(Refused) {
    try requireAdministration("take a block back")
    guard share.blocked.remove(user) != nil else {
      throw Refused(.unknownItem, nil, "The person isn't blocked.")
    }
  }
}
