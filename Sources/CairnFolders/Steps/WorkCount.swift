import CairnPlan
import CairnReplica
import CairnZone

/// Counts the waiting work.
///
/// It uses these parts of the state: `clock`, `notices`, `read`, `report`, `retries`, `scope`,
/// `transfers`, `zone`.
struct WorkCount {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Counts the waiting bytes, if there may be more than at the last time. That reads all waiting
  /// records, and thus isn't repeated at once if they are many.
  func countBytes() throws {
    let now = state.clock.now
    guard state.notices.areBytesDue(now) else { return }
    // The zone's index first: the folder's is the innermost.
    let stuck = state.retries.stuck
    let (local, remote, waiting) = try state.zone.read { view in
      try state.read { tree in
        let ids = try tree.dirtyRemote()
        let selected = SelectedRecords(view, state.scope)
        let remote = try ids.reduce(into: Int64(0)) { sum, id in
          guard let (content, size) = try view.content(of: id), try selected.contains(id) else {
            return
          }
          if try tree.content(of: id) != content { sum += Int64(clamping: size) }
        }
        let waiting = try stuck.reduce(into: Work.Waiting()) { sum, id in
          guard try tree.isDirty(id) else { return }
          sum.names += 1
          if let local = try tree.node(id)?.local, local.node.kind == .file(nil) {
            sum.bytes += Int64(clamping: local.size)
          } else if let (content, size) = try view.content(of: id),
            try tree.content(of: id) != content
          {
            sum.bytes += Int64(clamping: size)
          }
        }
        return (try tree.unreadBytes, remote, waiting)
      }
    }
    state.notices.countedBytes(from: now, to: state.clock.now)
    // The index doesn't count partly transferred files.
    let told = state.transfers.told
    let (unsent, unreceived) = (max(0, local - told.sent), max(0, remote - told.received))
    state.report.board.change { work in
      work.sending.bytes.pending = work.sending.names.pending > 0 ? unsent : 0
      work.receiving.bytes.pending = work.receiving.names.pending > 0 ? unreceived : 0
      work.waiting = waiting
    }
  }

  /// Takes back the finished bytes of interrupted transfers whose versions nobody needs any more.
  func dropKept() throws {
    guard state.transfers.hasKept else { return }
    let dropped = try state.zone.read { view in
      try state.read { tree in
        try state.transfers.dropKept { id, version in
          switch version {
          case .local(let local): try tree.node(id)?.local?.isSameVersion(as: local) ?? false
          case .remote(let content): try view.record(id)?.content?.id == content
          }
        }
      }
    }
    guard dropped != (0, 0) else { return }
    state.notices.mayHaveBytes()
    state.report.board.change { work in
      work.sending.bytes.advance(-dropped.sent)
      work.receiving.bytes.advance(-dropped.received)
    }
  }
}
