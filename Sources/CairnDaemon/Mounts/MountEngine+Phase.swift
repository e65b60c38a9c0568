import CairnControl
import CairnFolders

extension MountEngine {
  /// The phase between sync cycles.
  var restingPhase: Control.Phase {
    if report.held != nil { return .held }
    // While the container accepts nothing, waiting changes are on their way.
    if report.refusal != nil || isTransferring { return .sending }
    return report.progress.isSettled ? .idle : .waiting
  }

  /// The phase of the engine's next work.
  var phase: Control.Phase {
    if report.progress.isSettled { return .scanning }
    return report.progress.sent >= report.progress.arrived ? .sending : .receiving
  }
}
