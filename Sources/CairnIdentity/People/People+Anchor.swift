import CairnStore
import CairnZone

extension People {
  /// Returns whether a person's chain in this container contains the entry that somebody names as
  /// its last.
  /// - Throws: `StoreError` if the container cannot be read.
  public func passes(_ head: ChainHead, of user: UserID) throws -> Bool {
    guard let start = Bytes16(head.head.bytes.prefix(16)) else { return false }
    do {
      guard let person = try refresh(user) else { return false }
      // Without lists it cannot be read up to there, and nothing contradicts it.
      if try person.length < head.length && !isListed(user) { return true }
      return try passes(person, through: ChainAnchor(length: head.length, head: start))
    } catch is IdentityError {
      return false
    }
  }

  private func isListed(_ user: UserID) throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try store.list(ChainPlace.folder(user) + "/", after: nil, limit: 1)
      return true
    } catch {
      guard error.code == .unlisted else { throw error }
      return false
    }
  }
}
