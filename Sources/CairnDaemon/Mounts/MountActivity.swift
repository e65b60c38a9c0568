import CairnControl
import CairnFolders
import CairnThreads
import Synchronization

/// The state of a mount at one moment: the last report of its thread, and the work of its engine
/// within a sync cycle. Answers follow from both.
struct MountActivity {
  let snapshot: MountSnapshot
  let reading: WorkGauge.Reading
  /// A Boolean value that indicates whether its person has paused it.
  var isPaused = false

  /// The phase: one word for its work.
  var phase: Control.Phase {
    let phase = isPaused ? snapshot.phase.whilePaused : snapshot.phase
    return switch phase {
    case .scanning, .sending, .receiving: Self.phase(of: reading.work) ?? phase
    default: phase
    }
  }

  /// Returns the phase of the present work; nil if there is none.
  private static func phase(of work: Work) -> Control.Phase? {
    if work.looked != nil { return .scanning }
    switch (work.sending.isPending, work.receiving.isPending) {
    case (true, false): return .sending
    case (false, true): return .receiving
    case (true, true):
      let (out, back) = (work.sending, work.receiving)
      // Names take time as well as bytes; a small file is sealed as quickly as 4 KiB.
      let weight = { (way: Work.Way) in way.bytes.pending + way.names.pending * 4_096 }
      return weight(back) > weight(out) ? .receiving : .sending
    case (false, false): return nil
    }
  }

  /// The work for answers.
  var work: Control.Work {
    let (told, now) = (snapshot.progress, reading.work)
    // Within a sync cycle, its end wasn't reported yet.
    let (local, remote) =
      now.since == nil
      ? (told.pendingLocal, told.pendingRemote)
      : (Int(now.sending.names.pending) + told.waiting, Int(now.receiving.names.pending))
    return Control.Work(
      pendingLocal: local, pendingRemote: remote, looked: now.looked,
      sending: Self.amount(now.sending), receiving: Self.amount(now.receiving),
      bytesPerSecond: reading.bytesPerSecond, secondsLeft: reading.secondsLeft)
  }

  private static func amount(_ way: Work.Way) -> Control.WorkAmount? {
    guard way.isPending else { return nil }
    return Control.WorkAmount(
      names: way.names.done, allNames: way.names.total, bytes: way.bytes.done,
      allBytes: way.bytes.total)
  }

  /// Returns the progress for a command that waits for a folder.
  func progress(_ path: Control.Path) -> Control.Progress {
    if let looked = reading.work.looked {
      return Control.Progress(done: looked, unit: "names", what: "looking at \(path)")
    }
    let (names, bytes) = (reading.work.names, reading.work.bytes)
    let what = "\(phase.rawValue) \(path)"
    guard names.total > 0 else {
      return Control.Progress(done: 0, total: nil, unit: "names", what: what)
    }
    return Control.Progress(
      done: names.done, total: names.total, unit: "names", what: what,
      bytes: bytes.total > 0 ? bytes.done : nil, allBytes: bytes.total > 0 ? bytes.total : nil,
      bytesPerSecond: reading.bytesPerSecond, secondsLeft: reading.secondsLeft)
  }
}

/// The work of a mount's engine and its speed, readable from any thread.
final class MountWork: Sendable {
  private let board = Mutex<WorkBoard?>(nil)
  private let gauge = Mutex(WorkGauge())

  /// Follows that board from here on; `body` is called after changes.
  func follow(_ board: WorkBoard, _ body: @escaping @Sendable () -> Void) {
    board.onChange { [weak self] in
      // A speed doesn't depend on how often anybody asks for it.
      self?.measure(board.work)
      body()
    }
    self.board.withLock { $0 = board }
  }

  /// The present work.
  var reading: WorkGauge.Reading { measure(board.withLock { $0?.work } ?? Work()) }

  @discardableResult
  private func measure(_ work: Work) -> WorkGauge.Reading {
    gauge.withLock { $0.take(work, at: Monotonic.now) }
  }
}

extension Control.Phase {
  /// The phase of a paused mount: problems that only a person can solve are still shown.
  fileprivate var whilePaused: Control.Phase {
    switch self {
    case .detached, .damaged, .held: self
    default: .paused
    }
  }
}
