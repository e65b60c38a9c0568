/// Takes the results of transfers into a sync cycle.
///
/// It uses these parts of the state: `retries`, `transfers`.
struct TransferIntake {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Notes all results so far.
  /// - Throws: The first error of the container.
  func takeIn() throws {
    var failure: (any Error)?
    for result in state.transfers.takeResults() {
      do {
        switch result {
        case .sent(let result): try Uploads(state).takeIn(result)
        case .received(let result): try Downloads(state).takeIn(result)
        case .merged(let result): try TextMerges(state).takeIn(result)
        }
      } catch {
        failure = failure ?? error
      }
    }
    if state.transfers.hasRoom(for: 1) { state.retries.hurry(.transfer) }
    if let failure { throw failure }
  }

  /// Cancels transfers of versions that nobody needs any more.
  func reconsider() throws {
    try WorkCount(state).dropKept()
    guard state.transfers.isActive else { return }
    try Uploads(state).reconsider()
    try Downloads(state).reconsider()
  }
}
