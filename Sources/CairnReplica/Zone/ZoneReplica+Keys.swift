import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The keys of entries, and opening entries.
extension ZoneReplica {
  /// Adds the encryption keys that this person got since the account was stored.
  func learnKeys() throws {
    do {
      guard let me = try people.refresh(account.user) else { return }
      try people.learn(account, as: me)
    } catch is IdentityError {
      // Then nobody can seal anything to this person; the starter of the daemon reports it.
      return
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Reads the entry that raised the epoch again: its key may be sealed to an encryption key of
  /// this person that came with a revocation, and was unknown then.
  /// - Returns: whether the key of the epoch in force is known now.
  /// - Throws: `CloudError`.
  func findsKey() throws -> Bool {
    try learnKeys()
    guard header.sequence > 0, let bytes = try entry(with: header.head, at: header.sequence) else {
      return false
    }
    do {
      let opened = try EntryCodec.open(
        bytes, zone: zone, sequence: header.sequence, kind: header.kind, keys: keys, opener: opener
      ) { author in try people.signKey(of: author) }
      guard let key = opened.newKey, key.epoch == header.epoch else { return false }
      try keep(key)
      return true
    } catch is EntryProblem {
      return false
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Opens an entry and verifies its author. An entry that raises the epoch contains the next key,
  /// sealed to each member; it is kept if the commit is valid.
  func open(
    _ bytes: [UInt8], at sequence: UInt64, keys: Keyring
  ) throws -> EntryCodec.Opened {
    do {
      let opened = try EntryCodec.open(
        bytes, zone: zone, sequence: sequence, kind: header.kind, keys: keys, opener: opener
      ) { author in try people.signKey(of: author) }
      if let genesis = opened.commit.genesis {
        guard genesis.owner == folder.founder else { throw EntryProblem.foreignZone }
      }
      return opened
    } catch let problem as EntryProblem {
      var refused = EntryRefused(
        problem.description, holder: problem.isFinal ? .rubbish : .unread)
      if case .unknownDevice(let author) = problem { refused.unseen = author.user }
      throw refused
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }
}
