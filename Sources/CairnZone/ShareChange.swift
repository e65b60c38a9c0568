/// One change to the share of a zone, or to the zone as a whole. Each has a rule about who may make
/// it (`ShareRules`, `ZoneRules`).
public enum ShareChange: Hashable, Sendable {
  /// The owner starts sharing the zone, or gives the share another title.
  case title(String)
  /// Owner or administrator: invites a person, or changes the permission of one who is in already.
  /// With a first epoch, who is new is given its key and later ones, and none of before.
  case invite(user: UserID, permission: Permission, firstEpoch: UInt64 = 0)
  /// The invited person is a participant from here on.
  case accept
  /// Owner or administrator: the person is out. A participant: leaves by naming themself.
  case remove(user: UserID)
  /// The owner ends the share.
  case stop
  /// Owner or administrator: what an invited person may do from here on. Nobody gives a permission
  /// that they don't have, neither so nor by an invitation, a link for one person or `setPublic`.
  case setPermission(user: UserID, permission: Permission)
  /// The owner makes an invited person an administrator, or takes that back.
  case setRole(user: UserID, role: Role)
  /// Owner or administrator: what anybody with the link may do. Going from named people to anyone
  /// takes the named entries away, and going back everybody who came by a link.
  case setPublic(Permission)
  /// Owner or administrator: a link that lets somebody in.
  case addLink(Link)
  /// Owner or administrator: the link lets nobody in any more.
  case removeLink(LinkID)
  /// A person with a link's secret is a participant from here on. `proof` is its signature, which
  /// `CairnReplica` checked before the commit came here.
  case claim(link: LinkID, proof: [UInt8])
  /// Owner or administrator: whether strangers may ask for access.
  case setAccessRequests(Bool)
  /// Owner or administrator: the person is out, and may neither ask nor come back.
  case block(user: UserID)
  /// Owner or administrator: takes a block back.
  case unblock(user: UserID)
  /// The owner says which ways of sharing are allowed from here on.
  case setPolicy(SharePolicy)
  /// A change to what holds for the zone as a whole.
  case zone(ZoneWideChange)
}

/// One change to what holds for a zone as a whole: owner, limit, end, devices, what of its past is
/// kept. Each has a rule about who may make it (`ZoneRules`).
public enum ZoneWideChange: Hashable, Sendable {
  /// The owner offers the zone to a participant; nil ends the offer. The owner withdraws it so, and
  /// the participant declines it.
  case offer(to: UserID?)
  /// The participant with the offer, or a successor with a confirmed claim, becomes the owner. The
  /// former owner stays as a participant who can edit.
  case takeOver
  /// The owner decides who may take the zone over without the owner's help; nil: nobody. All
  /// earlier claims end.
  case succession(Succession?)
  /// A successor confirms the claim of another one, or makes a claim by confirming themself; nil
  /// withdraws the confirmation or the claim.
  case confirm(UserID?)
  /// The owner ends the zone for everybody, with all that is in it.
  case purge
  /// The owner's limit for the sum of the sizes of all files, in bytes; nil: none.
  case quota(UInt64?)
  /// A person declares that a device of theirs signs no more in this zone.
  case revokeDevice(DeviceID)
  /// The owner says which version of the rules a program must know to read on; never a lower one.
  case minimumVersion(UInt32)
  /// The owner says which attributes of files the zone carries beside the executable bit and time.
  case carry(CarriedAttributes)
  /// Owner or administrator: every reader notes the digest of the state after this commit.
  case checkpoint
  /// The owner: what is before that checkpoint may go, since everybody has the same state there.
  case floor(Floor)
  /// The owner's policy on the kept past; nil for all of it, forever.
  case history(HistoryPolicy?)
  /// The owner: older packs are closed to new references, all but those that are named.
  case retire(Retirement)
  /// The owner: these versions of a record are kept by nobody any more, whatever the policy says.
  case forget(Forgetting)
  /// The owner, in a commit that raises the epoch: chunks that no record has leave the zone, so
  /// that later keys open nothing of the past.
  case closePast
  /// The owner, in a commit that raises the epoch: the last entry here. The zone continues there.
  case goesOn(Site)
}

extension ShareChange {
  /// The owner offers the zone to a participant; nil ends the offer.
  public static func offer(to user: UserID?) -> ShareChange { .zone(.offer(to: user)) }
  /// The participant with the offer, or a successor with a confirmed claim, becomes the owner.
  public static var takeOver: ShareChange { .zone(.takeOver) }
  /// The owner ends the zone.
  public static var purge: ShareChange { .zone(.purge) }
  /// The owner sets a limit in bytes, or takes it away.
  public static func quota(_ limit: UInt64?) -> ShareChange { .zone(.quota(limit)) }
  /// A person's device signs no more here.
  public static func revokeDevice(_ device: DeviceID) -> ShareChange {
    .zone(.revokeDevice(device))
  }
  /// The owner asks for a version of the rules.
  public static func minimumVersion(_ version: UInt32) -> ShareChange {
    .zone(.minimumVersion(version))
  }
}
