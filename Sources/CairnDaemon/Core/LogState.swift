import CairnControl
import CairnZone

extension Control.LogState {
  /// Creates the state of a log with that trouble.
  init(_ kind: LogTrouble.Kind) {
    switch kind {
    case .lostEnd: self = .lostEnd
    case .twoHistories: self = .twoHistories
    case .disputed: self = .disputed
    case .damaged: self = .damaged
    case .held: self = .held
    case .elsewhere: self = .elsewhere
    }
  }
}
