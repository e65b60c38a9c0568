import CairnStore
import CairnZone

/// Where the log of a public zone goes on. Each entry locks the name of the next place, and the
/// first place's lock stands in the author's chain: so everybody finds what stands there, and
/// nobody but the author's devices can put anything there before. One owner.
final class PublicPlaces {
  private let folder: ZoneFolder
  private let store: any ObjectStore
  private let people: People
  /// The author's own account, if this is a device of theirs: it computes the names.
  private let account: Account?
  private var names: LockedNames

  init(_ folder: ZoneFolder, in store: any ObjectStore, people: People, as account: Account) {
    self.folder = folder
    self.store = store
    self.people = people
    self.account = account.user == folder.founder ? account : nil
    names = LockedNames(in: folder.log)
  }

  /// Has the next look list the folder.
  func look() { names.forget() }

  /// The key of the place behind what is folded.
  /// - Parameter header: of the zone, as it is folded.
  /// - Returns: nil if nobody can tell it from here: nothing stands there, or the author never
  ///   began.
  /// - Throws: `CloudError` if the container can't be read.
  func next(after header: ZoneHeader) throws -> ObjectKey? {
    guard let lock = try header.sequence == 0 ? firstLock() : header.lock else { return nil }
    if let name = name(header.sequence + 1, for: lock) { return folder.place(named: name) }
    do { return try names.key(for: lock, in: store) } catch { throw CloudError(error) }
  }

  /// The name that the author's device computes and that the lock is of.
  private func name(_ sequence: UInt64, for lock: Bytes32) -> String? {
    account?.encryption.reversed().lazy.map { self.folder.publicName(sequence, by: $0) }
      .first { ChainPlace.lock($0) == lock }
  }

  /// What the author's chain says of the first place.
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
