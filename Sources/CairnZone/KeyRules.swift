/// The rules for the encryption keys of members: the keys that a commit may bring, and that every
/// member has one. So the next epoch's key is sealed to known keys, and nobody can be left out
/// unnoticed. It knows no secrets.
struct KeyRules {
  /// The signer of the commit.
  let author: UserID
  /// The zone before the commit.
  let before: ZoneHeader

  /// The keys after a commit with new keys, for the owner and share of `after`.
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
  /// The owner and all participants, including pending ones.
  public var members: Set<UserID> {
    var members = Set(share?.participants.keys.map { $0 } ?? [])
    if let owner { members.insert(owner) }
    return members
  }

  /// Returns whether the person is the owner, a participant, or invited.
  public func isMember(_ user: UserID) -> Bool {
    user == owner || share?.participants[user] != nil
  }

  /// All keys to which the next epoch's key must be sealed: those of all members and of valid
  /// links.
  public var boxKeys: Set<Bytes32> {
    Set(keys.values).union(share?.links.values.map(\.boxKey) ?? [])
  }
}
