import CairnIdentity
import CairnStore
import CairnZone

/// Answers for `LogCursor` about all that is not in the log itself: log starts, keys, the location
/// of the zone, the rest of its folder. It owns nothing.
struct LogSurroundings {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var folder: ZoneFolder { replica.folder }

  /// Answers a question.
  /// - Parameters:
  ///   - ask: The question.
  ///   - last: The highest position to read.
  ///   - vain: The pointers to log starts that the log did not confirm.
  /// - Returns: the answer; false to a question of another kind.
  /// - Throws: `CloudError`.
  func answer(
    _ ask: LogCursor.Ask, upTo last: UInt64, except vain: Set<ObjectKey>
  ) throws -> Bool {
    let start = SnapshotBootstrap(replica)
    switch ask {
    case .findKey: return try replica.findsKey()
    case .passes(let site): return try replica.sites.trail().passes(site)
    case .isElsewhere: return try replica.elsewhere() != nil
    case .start: return try start.take(upTo: last, except: vain)
    case .confirmStart:
      try start.check()
      return true
    case .isBelowStart: return try start.counts(.zero, at: header.sequence) != nil
    case .mayBeEnded(let agreed): return try agreed == 0 && isNothingLeft() || isShutOut()
    default: return false
    }
  }

  /// Returns whether the end-of-epoch record says that somebody with the right went on without this
  /// person. Then their own last entry may be below a log start.
  private func isShutOut() throws -> Bool {
    guard let key = replica.keys[max(header.epoch, 1)],
      let copies = try replica.find(at: folder.end(of: key)).bytes.flatMap({ LogCopies($0) }),
      copies.place > header.sequence, let entry = copies.entries.last,
      let raise = try replica.opened(entry, at: copies.place, replica.keys)
    else { return false }
    return raise.commit.nextKey != nil && raise.newKey == nil
      && header.rights(of: raise.commit.author.user).contains(.administer)
  }

  /// Returns whether the container has nothing of the zone any more.
  private func isNothingLeft() throws -> Bool {
    do throws(StoreError) {
      return try replica.store.list("\(folder.path)/", after: nil, limit: 1).isEmpty
    } catch {
      // Without lists nobody knows.
      guard error.code == .unlisted else { throw CloudError(error) }
      return false
    }
  }
}
