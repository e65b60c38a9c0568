/// The rules of the encryption keys of members: whose key a commit may bring, and that everybody
/// who is in has one. So the next epoch's key is sealed to what all readers know, and nobody can be
/// left out of it unseen. It knows no secrets.
struct KeyRules {
  /// Who signed the commit.
  let author: UserID
  /// The zone before the commit.
  let before: ZoneHeader

  /// The keys after a commit that brings these, when owner and share are those of `after`.
  func keys(
    bringing new: [UserID: Bytes32], in after: ZoneHeader
  ) throws(Refused) -> [UserID: Bytes32] {
    guard after.kind == .owned else {
      guard new.isEmpty else {
        throw Refused(.invalidArguments, nil, "A public zone has no members.")
      }
      return [:]
    }
    for user in new.keys {
      guard after.isMember(user), user == author || !before.isMember(user) else {
        throw Refused(
          .permissionFailure, nil,
          "A commit brings the author's own key, and those of people whom it lets in.")
      }
    }
    let keys = before.keys.merging(new) { $1 }.filter { after.isMember($0.key) }
    guard after.members.allSatisfy({ keys[$0] != nil }) else {
      throw Refused(
        .invalidArguments, nil, "Somebody would be in the zone of whom no encryption key is known.")
    }
    return keys
  }
}

extension ZoneHeader {
  /// The owner and all participants, also those who haven't accepted yet.
  public var members: Set<UserID> {
    var members = Set(share?.participants.keys.map { $0 } ?? [])
    if let owner { members.insert(owner) }
    return members
  }

  /// Whether the person owns the zone, takes part in it, or is invited to.
  public func isMember(_ user: UserID) -> Bool {
    user == owner || share?.participants[user] != nil
  }

  /// All keys to which the next epoch's key must be sealed: of everybody who is in, and of living
  /// links.
  public var boxKeys: Set<Bytes32> {
    Set(keys.values).union(share?.links.values.map(\.boxKey) ?? [])
  }
}
