import CairnPlan
import CairnReplica
import CairnZone

/// Reports links that lead out of a shared folder.
///
/// It uses these parts of the state: `isReadOnly`, `notices`, `read`, `report`, `zone`.
struct LinkNotices {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Reports links that lead out of a shared folder, to a person who may change them.
  func noticeLinks() throws {
    let isShared = state.zone.header.share != nil && !state.isReadOnly
    guard state.notices.takeLinks(isShared: isShared) else { return }
    let links = isShared ? try state.read { try $0.outwardLinks() } : []
    state.report.setNotices(links.map(OutwardLinks.notice))
  }
}
