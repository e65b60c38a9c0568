import CairnControl
import CairnFolders
import CairnThreads
import Synchronization

/// How a mount stands at one moment: what its thread said last, and what its engine is at in the
/// middle of a turn. What is told of it follows from that.
struct MountAtWork {
  let snapshot: MountSnapshot
  let reading: WorkGauge.Reading
  /// Whether its person has paused it.
  var isPaused = false

  /// What it is doing, in a word.
  var phase: Control.Phase {
    let phase = isPaused ? snapshot.phase.whilePaused : snapshot.phase
    return switch phase {
    case .scanning, .sending, .receiving: Self.phase(of: reading.work) ?? phase
    default: phase
    }
  }

  /// What is done now, of what there is to do; nil if there is nothing.
  private static func phase(of work: Work) -> Control.Phase? {
    if work.looked != nil { return .scanning }
    switch (work.sending.isPending, work.receiving.isPending) {
    case (true, false): return .sending
    case (false, true): return .receiving
    case (true, true):
      let (out, back) = (work.sending, work.receiving)
      // Names as well as bytes take their time; a small file is sealed as quickly as 4 KiB.
      let weight = { (way: Work.Way) in way.bytes.pending + way.names.pending * 4_096 }
      return weight(back) > weight(out) ? .receiving : .sending
    case (false, false): return nil
    }
  }

  /// The work, as people are told it.
  var work: Control.Work {
    let (told, now) = (snapshot.progress, reading.work)
    // In the middle of a turn its end hasn't been told yet.
    let (local, remote) =
      now.since == nil
      ? (told.pendingLocal, told.pendingRemote)
      : (Int(now.sending.names.pending), Int(now.receiving.names.pending))
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

  /// How far it is, for who waits for the folder of that name.
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

/// What a mount's engine is at, and how fast it gets on, for whoever asks.
final class MountWork: Sendable {
  private let board = Mutex<WorkBoard?>(nil)
  private let gauge = Mutex(WorkGauge())

  /// From here on it is the work of that board; `body` is called when it changes.
  func follow(_ board: WorkBoard, _ body: @escaping @Sendable () -> Void) {
    board.onChange(body)
    self.board.withLock { $0 = board }
  }

  /// What it is at now.
  var reading: WorkGauge.Reading {
    let work = board.withLock { $0?.work } ?? Work()
    return gauge.withLock { $0.take(work, at: Monotonic.now) }
  }
}

extension Control.Phase {
  /// What is told of a mount that is paused: what only a person can mend is told all the same.
  fileprivate var whilePaused: Control.Phase {
    switch self {
    case .detached, .damaged, .held: self
    default: .paused
    }
  }
}
