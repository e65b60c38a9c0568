import CairnCloud
import CairnZone
import Synchronization

/// What a mount has to do, and has done since it was last in step, each way by itself.
public struct Work: Sendable, Hashable {
  /// How much of one kind there is.
  public struct Amount: Sendable, Hashable {
    /// What is done.
    public var done: Int64 = 0
    /// What is left.
    public var pending: Int64 = 0
    /// All of it.
    public var total: Int64 { done + pending }

    /// So much done, and so much left.
    public init(done: Int64 = 0, pending: Int64 = 0) {
      self.done = done
      self.pending = pending
    }

    /// Some of what was left is done; a negative number takes that back.
    mutating func advance(_ count: Int64) {
      done = max(0, done + count)
      pending = max(0, pending - count)
    }
  }

  /// What goes one way.
  public struct Way: Sendable, Hashable {
    /// Names that changed.
    public var names = Amount()
    /// Bytes of the files among them.
    public var bytes = Amount()
    /// Whether something is left.
    public var isPending: Bool { names.pending > 0 || bytes.pending > 0 }

    /// Nothing to do.
    public init() {}
  }

  /// From the folder to the zone.
  public var sending = Way()
  /// From the zone to the folder.
  public var receiving = Way()
  /// How many names the look at the folder that is under way has seen; nil: none is.
  public var looked: Int64?
  /// Since when there is something to do, by the engine's clock; nil: there is nothing.
  public var since: Int64?

  /// Nothing to do.
  public init() {}

  /// So many names are left now; what began with nothing begins anew.
  mutating func count(sending local: Int, receiving remote: Int, at now: Int64) {
    if local == 0, remote == 0 {
      let looked = looked
      self = Work()
      self.looked = looked
    } else if since == nil {
      since = now
    }
    sending.names.pending = Int64(local)
    receiving.names.pending = Int64(remote)
    if local == 0 { sending.bytes.pending = 0 }
    if remote == 0 { receiving.bytes.pending = 0 }
  }
}

/// What a mount is at, for whoever wants to know in the middle of a turn: the engine writes it,
/// anybody reads it.
public final class WorkBoard: Sendable {
  private let state = Mutex(Work())
  private let listener = Mutex<Listener?>(nil)

  /// By itself, in the place of a type's parameter, a function is wrapped each time that it is
  /// looked at, and put back so.
  private struct Listener {
    let call: @Sendable () -> Void
  }

  /// Nothing to do.
  public init() {}

  /// What it is at now.
  public var work: Work { state.withLock { $0 } }

  /// Calls `body` after each change, on the thread that makes it.
  public func onChange(_ body: @escaping @Sendable () -> Void) {
    listener.withLock { $0 = Listener(call: body) }
  }

  /// Writes what changed.
  func change(_ body: (inout Work) -> Void) {
    let isNews = state.withLock { work in
      let before = work
      body(&work)
      return work != before
    }
    if isNews, let listener = listener.withLock({ $0 }) { listener.call() }
  }

  /// So many bytes of a file were read for the zone; negative: all in vain.
  func sent(_ bytes: Int) { change { $0.sending.bytes.advance(Int64(bytes)) } }

  /// So many bytes of a file were written for the folder; negative: all in vain.
  func received(_ bytes: Int) { change { $0.receiving.bytes.advance(Int64(bytes)) } }
}

/// Counts what there is to do.
struct WorkCount {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Counts the bytes that are left, if more may have come since that was last done. That reads all
  /// of what waits, and so it isn't done again at once where that is much.
  func countBytes() throws {
    let now = state.clock.now
    guard state.notices.areBytesDue(now) else { return }
    // The zone's index first: the folder's is the innermost.
    let (local, remote, looked) = try state.zone.read { view in
      try state.read { tree in
        let ids = try tree.dirtyRemote()
        let remote = try ids.reduce(into: Int64(0)) { sum, id in
          guard let (content, size) = try view.content(of: id) else { return }
          if try tree.content(of: id) != content { sum += Int64(clamping: size) }
        }
        return (try tree.unreadBytes, remote, ids.count)
      }
    }
    state.notices.countedBytes(of: looked, at: now)
    state.report.board.change { work in
      work.sending.bytes.pending = work.sending.names.pending > 0 ? local : 0
      work.receiving.bytes.pending = work.receiving.names.pending > 0 ? remote : 0
    }
  }
}
