import CairnControl
import CairnThreads
import Glibc
import Synchronization

/// Sending: a draft that nobody has open is removed once the zone has it.
extension ViewFileSystem {
  /// The errors of a zone that refuses a draft, for example because of its name.
  private static let refusals = [EACCES, EEXIST]

  /// Removes a draft that nobody has open, once the zone has it. Otherwise, it is sent again later;
  /// a draft that the zone refuses is sent again after the next close, or at the end of the view.
  func endDraft(_ number: UInt64) {
    let isOpen = state.withLock { state in (state.drafts[number]?.opens ?? 1) > 0 }
    guard !isOpen else { return }
    do throws(SystemError) { try send(number) } catch {
      let isRefused = Self.refusals.contains(error.number)
      state.withLock { $0.drafts[number]?.isRefused = isRefused }
      if !isRefused { retryLater() }
    }
    let done = state.withLock { state -> Draft? in
      guard let draft = state.drafts[number], draft.opens == 0, !draft.isPending else {
        return nil
      }
      state.nodes.forget(number, 1)
      return state.drafts.removeValue(forKey: number)
    }
    if let done { drafts.remove(done.file, done.descriptor) }
  }

  /// Closes a handle of a draft, or another counted open of it.
  func closeDraft(_ number: UInt64) {
    state.withLock { $0.drafts[number]?.opens -= 1 }
    endDraft(number)
  }

  /// Starts a thread that sends the drafts which nobody has open, until none is left.
  private func retryLater() {
    let isFirst = retry.change { retry in
      defer { retry.isRunning = true }
      return !retry.isRunning && !retry.isOver
    }
    guard isFirst else { return }
    let isStarted = PosixThread.run("cairn-drafts") { [self] in
      while retry.wait(until: Monotonic.now + Self.pause, for: { $0.isOver ? true : nil }) == nil {
        let left = pendingDrafts
        for number in left { endDraft(number) }
        guard pendingDrafts.isEmpty else { continue }
        break
      }
      retry.change { $0.isRunning = false }
    }
    if !isStarted { retry.change { $0.isRunning = false } }
  }

  /// The files whose last bytes the zone lacks without having refused them, and that nobody has
  /// open.
  private var pendingDrafts: [UInt64] {
    state.withLock { state in
      state.drafts.filter { $0.value.opens == 0 && $0.value.isPending && !$0.value.isRefused }
        .map(\.key)
    }
  }

  /// Sends what is left once more, at the end of the view. Bytes that can't be sent go to the
  /// rescue folder.
  func end(isOver: Bool = true) {
    if isOver { retry.change { $0.isOver = true } }
    for number in state.withLock({ Array($0.drafts.keys) }) {
      state.withLock { $0.drafts[number]?.opens = 0 }
      endDraft(number)
    }
    for (path, failure) in drafts.rescueAll() {
      guard let failure else {
        report(
          ControlError(
            .partialFailure, "A changed file could not be sent. It is \(path) now.",
            remedy: "Put it back where it belongs."))
        continue
      }
      report(
        ControlError(
          .partialFailure,
          "A changed file could not be sent, or moved to \(drafts.rescue): "
            + "\(String(cString: strerror(failure.number))). It is \(path).",
          remedy: "Copy it to another place.", path: path))
    }
  }
}
