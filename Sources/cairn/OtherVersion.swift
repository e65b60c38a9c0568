import CairnControl
import Synchronization

/// Reports once that the daemon has another version than this command.
enum OtherVersion {
  private static let isTold = Atomic(false)

  static func tell(_ version: String) {
    guard !isTold.exchange(true, ordering: .relaxed) else { return }
    Output.error(
      "cairn: the daemon is of version \(Output.printable(version)), and this command of "
        + "\(Control.version). After an upgrade the daemon follows by itself when it is idle; "
        + "`cairn stop` ends it now, and the next command starts its own.")
  }
}
