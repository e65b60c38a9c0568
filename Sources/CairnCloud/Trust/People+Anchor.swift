import CairnStore
import CairnZone

extension People {
  /// Whether a person's chain in this container comes by the entry that somebody says is its last.
  /// - Throws: `StoreError` if the container can't be read.
  func passes(_ head: ChainHead, of user: UserID) throws -> Bool {
    guard let start = Bytes16(head.head.bytes.prefix(16)) else { return false }
    do {
      guard let person = try refresh(user) else { return false }
      // Where nothing is listed it can't be read to there, and nothing contradicts it.
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
