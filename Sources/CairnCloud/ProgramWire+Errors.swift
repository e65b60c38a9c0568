import CairnControl

extension CloudError {
  /// Creates the error of an answer.
  init(_ wire: ControlError) {
    let code: Code =
      switch wire.code {
      case .notRunning, .interrupted, .requestRateLimited, .timedOut: .serviceUnavailable
      default: Code(rawValue: wire.code.rawValue) ?? .internalError
      }
    // Messages of the daemon are sentences.
    self.init(code, wire.message.hasSuffix(".") ? String(wire.message.dropLast()) : wire.message)
  }

  /// The error for an answer.
  var wire: ControlError {
    ControlError(Control.ErrorCode(rawValue: code.rawValue) ?? .internalError, message)
  }
}
