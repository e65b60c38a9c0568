import CairnStore
import CairnZone
import Synchronization

/// What people say of their own chains in zones. Whoever shows a chain to one person and another to
/// others can't change what its person signed elsewhere: so those who were shown different pasts
/// notice as soon as they have a zone in common.
extension People {
  /// Takes what somebody said in a commit that counted: how far their device had read their own
  /// chain. The container is asked once for each length that nobody here has read yet.
  /// - Throws: `StoreError` if the container can't be read.
  func hear(_ head: ChainHead, of user: UserID) throws {
    guard let person = try personOrNil(user) else { return }
    let isNews = heard.withLock { heard in
      guard heard[user].map({ $0.length < head.length }) ?? true else { return false }
      heard[user] = head
      return true
    }
    if head.length > person.length {
      guard isNews else { return }
      _ = try refreshedOrNil(user)
    }
    guard try dispute(head, of: user) != nil else { return }
    // What is disputed stays so for this device until the container shows the chain that was meant.
    try memory?.keep(head, saidBy: user)
    claims.withLock { $0[user] = head }
    _ = try refreshedOrNil(user)
  }

  /// What is disputed of a person as they are known here; nil if nothing is.
  func dispute(of person: Person) throws -> LogTrouble? {
    guard let head = try claims.withLock({ $0[person.id] }) ?? memory?.head(saidBy: person.id)
    else { return nil }
    guard let trouble = try dispute(head, against: person) else {
      claims.withLock { $0[person.id] = nil }
      try memory?.forgetHead(saidBy: person.id)
      return nil
    }
    return trouble
  }

  private func dispute(_ head: ChainHead, of user: UserID) throws -> LogTrouble? {
    try personOrNil(user).flatMap { try dispute(head, against: $0) }
  }

  private func dispute(_ head: ChainHead, against person: Person) throws -> LogTrouble? {
    if head.length < person.length {
      // What stands before the last entry only who remembers it can tell.
      guard let entry = try memory?.entry(of: person.id, at: head.length),
        IdentityLog.digest(of: entry.bytes) != head.head
      else { return nil }
    } else if head == ChainHead(length: person.length, head: person.head) {
      return nil
    }
    return LogTrouble(
      .disputed, agreed: min(person.length, head.length - 1), seen: head.length)
  }

  /// Who can't be read has no chain that anything could be said about.
  private func personOrNil(_ user: UserID) throws -> Person? {
    do { return try person(user) } catch is IdentityError { return nil }
  }

  func refreshedOrNil(_ user: UserID) throws -> Person? {
    do { return try refresh(user) } catch is IdentityError { return nil }
  }
}
