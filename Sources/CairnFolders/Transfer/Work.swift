import CairnPlan
import CairnReplica
import CairnZone
import Synchronization

/// A mount's waiting and finished work since it was last up to date, in each direction.
public struct Work: Sendable, Hashable {
  /// An amount of one kind.
  public struct Amount: Sendable, Hashable {
    /// The finished part.
    public var done: Int64 = 0
    /// The waiting part.
    public var pending: Int64 = 0
    /// The whole amount.
    public var total: Int64 { done + pending }

    /// Creates an amount.
    public init(done: Int64 = 0, pending: Int64 = 0) {
      self.done = done
      self.pending = pending
    }

    /// Moves an amount from the waiting part to the finished part; a negative number reverses that.
    mutating func advance(_ count: Int64) {
      done = max(0, done + count)
      pending = max(0, pending - count)
    }
  }

  /// The work in one direction.
  public struct Way: Sendable, Hashable {
    /// The number of changed names.
    public var names = Amount()
    /// The bytes of the files among them.
    public var bytes = Amount()
    /// A Boolean value that indicates whether anything waits.
    public var isPending: Bool { names.pending > 0 || bytes.pending > 0 }

    /// Creates a value without work.
    public init() {}
  }

  /// From the folder to the zone.
  public var sending = Way()
  /// From the zone to the folder.
  public var receiving = Way()
  /// Waiting work that no faster line would finish sooner: a file is unreadable, for example, or
  /// the container is full.
  public struct Waiting: Sendable, Hashable {
    /// The number of names.
    public var names: Int64
    /// The bytes of the files among them.
    public var bytes: Int64

    /// Creates an amount.
    public init(names: Int64 = 0, bytes: Int64 = 0) {
      self.names = names
      self.bytes = bytes
    }
  }

  /// The part of the waiting work that waits for something else than its turn.
  public var waiting = Waiting()
  /// The number of names that the running scan has seen; nil if there is none.
  public var looked: Int64?
  /// The time since which there is work, by the engine's clock; nil if there is none.
  public var since: Int64?

  /// Creates a value without work.
  public init() {}

  /// Sets the number of waiting names; finished work begins again.
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

/// The present work of a mount, readable from any thread within a sync cycle; the engine writes it.
public final class WorkBoard: Sendable {
  private let state = Mutex(Work())
  private let listener = Mutex<Listener?>(nil)

  /// A function as the argument of a generic type would be wrapped on each access; in a structure
  /// it isn't.
  private struct Listener {
    let call: @Sendable () -> Void
  }

  /// Creates a board without work.
  public init() {}

  /// The present work.
  public var work: Work { state.withLock { $0 } }

  /// Calls `body` after each change, on the thread that makes it.
  public func onChange(_ body: @escaping @Sendable () -> Void) {
    listener.withLock { $0 = Listener(call: body) }
  }

  /// Changes the work.
  func change(_ body: (inout Work) -> Void) {
    let isNews = state.withLock { work in
      let before = work
      body(&work)
      return work != before
    }
    if isNews, let listener = listener.withLock({ $0 }) { listener.call() }
  }

  /// Notes that bytes of a file were read for the zone; a negative number takes them back.
  func sent(_ bytes: Int) { change { $0.sending.bytes.advance(Int64(bytes)) } }

  /// Notes that bytes of a file were written for the folder; a negative number takes them back.
  func received(_ bytes: Int) { change { $0.receiving.bytes.advance(Int64(bytes)) } }
}
