import CairnStore
import CairnZone
import Synchronization

/// The statements of people in zones about their own chains. A host that shows different chains to
/// different people cannot change signed statements elsewhere. So people with different views
/// notice as soon as they have a zone in common.
extension People {
  /// Handles a statement in a valid commit about the author's own chain. The container is asked
  /// once for each length that was not read here.
  /// - Throws: `StoreError` if the container cannot be read.
  public func hear(_ head: ChainHead, of user: UserID) throws {
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
    // A dispute stays on this device until the container shows the stated chain.
    try memory?.keep(head, saidBy: user)
    claims.withLock { $0[user] = head }
    _ = try refreshedOrNil(user)
  }

  /// The dispute about a person as known here; nil if there is none.
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
      // Only the memory knows the entries before the last one.
      guard let entry = try memory?.entry(of: person.id, at: head.length),
        IdentityLog.digest(of: entry.bytes) != head.head
      else { return nil }
    } else if head == ChainHead(length: person.length, head: person.head) {
      return nil
    }
    return LogTrouble(
      .disputed, agreed: min(person.length, head.length - 1), seen: head.length)
  }

  /// An unreadable person has no chain for statements.
  private func personOrNil(_ user: UserID) throws -> Person? {
    do { return try person(user) } catch is IdentityError { return nil }
  }

  func refreshedOrNil(_ user: UserID) throws -> Person? {
    do { return try refresh(user) } catch is IdentityError { return nil }
  }
}
