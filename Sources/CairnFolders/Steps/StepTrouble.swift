import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Reports what keeps a file from the folder, and lets its record wait.
///
/// It uses these parts of the state: `postpone`, `read`, `tell`.
struct StepTrouble {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// The disk failed.
  func fail(_ id: RecordID, _ place: Place, _ error: FolderError) {
    let code = error.code == .full ? CloudError.Code.quotaExceeded : .permissionFailure
    let remedy = "\(error.remedy); it is tried again by itself"
    state.tell(
      PathProblem(path: path(of: place), code: code, message: error.reason, remedy: remedy), of: id)
    state.postpone(id, .failed, error.reason)
  }

  /// The container doesn't have the content.
  func fail(_ id: RecordID, _ place: Place, _ error: ContentError) {
    state.tell(
      PathProblem(
        path: path(of: place), code: .assetNotAvailable, message: "\(error)",
        remedy: "run `cairn verify`; the local version stays until the content is there"),
      of: id)
    state.postpone(id, .failed, "\(error)")
  }

  private func path(of place: Place) -> [UInt8] {
    do {
      let path = try state.read { try $0.path(of: place.parent) }
      return joined((path ?? []) + [place.name.bytes])
    } catch {
      return place.name.bytes
    }
  }
}

extension FolderStep {
  /// The place that the step concerns.
  var place: Place {
    switch self {
    case .makeDirectory(_, let to), .move(_, _, let to): to
    case .install(_, let node), .replace(_, _, let node): node.place
    case .setAttributes(_, let node, _), .remove(_, let node): node.place
    case .park(_, let from): from
    }
  }
}
