extension Control.ErrorCode {
  /// Reads a word. An unknown word of a newer daemon is `internalError`.
  public init(from decoder: any Decoder) throws {
    let word = try decoder.singleValueContainer().decode(String.self)
    self = Control.ErrorCode(rawValue: word) ?? .internalError
  }
}
