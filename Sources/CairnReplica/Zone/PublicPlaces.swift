import CairnIdentity
import CairnStore
import CairnZone

/// The next position of a public zone's log. Each entry locks the name of the next position, and
/// the author's chain has the lock of the first. So everybody finds the entries, and only the
/// author's devices can put one there. One owner.
final class PublicPlaces {
  private let folder: ZoneFolder
  private let store: any ObjectStore
  private let people: People
  /// The author's own account on their device: it computes the names.
  private let account: Account?
  private var names: LockedNames

  init(_ folder: ZoneFolder, in store: any ObjectStore, people: People, as account: Account) {
    self.folder = folder
    self.store = store
    self.people = people
    self.account = account.user == folder.founder ? account : nil
    names = LockedNames(in: folder.log)
  }

  /// Makes the next lookup list the folder.
  func look() { names.forget() }

  /// The key of the position after the replayed entries.
  /// - Parameter header: The header of the zone.
  /// - Returns: nil if it is unknown here: there is no entry, or the author never began.
  /// - Throws: `CloudError` if the container cannot be read.
  func next(after header: ZoneHeader) throws -> ObjectKey? {
    guard let lock = try header.sequence == 0 ? firstLock() : header.lock else { return nil }
    if let name = name(header.sequence + 1, for: lock) { return folder.place(named: name) }
    do { return try names.key(for: lock, in: store) } catch { throw CloudError(error) }
  }

  /// The name that the author's device computes for the lock.
  private func name(_ sequence: UInt64, for lock: Bytes32) -> String? {
    account?.encryption.reversed().lazy.map { self.folder.publicName(sequence, by: $0) }
      .first { ChainPlace.lock($0) == lock }
  }

  /// The lock of the first position in the author's chain.
  private func firstLock() throws -> Bytes32? {
    do {
      if let lock = try people.recall(folder.founder)?.publicLock { return lock }
      return try people.refresh(folder.founder)?.publicLock
    } catch is IdentityError {
      // Nobody: then nothing is theirs.
      return nil
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }
}
