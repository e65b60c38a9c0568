import CairnStore
import CairnZone

extension People {
  /// Whether a person's chain in this container comes by the entry that somebody says is its last.
  /// - Throws: `StoreError` if the container can't be read.
  func passes(_ head: ChainHead, of user: UserID) throws -> Bool {
    do {
      guard let person = try refresh(user), person.length >= head.length else { return false }
      if person.length == head.length { return person.head == head.head }
      // Without a memory nobody can tell what stood there.
      guard let entries = try memory?.entries(of: user), entries.count >= head.length else {
        return true
      }
      return IdentityLog.digest(of: entries[Int(head.length) - 1]) == head.head
    } catch is IdentityError {
      return false
    }
  }
}
