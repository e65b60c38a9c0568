extension Control {
  /// The member of a request that a person sets to true to confirm what an error tells.
  public enum Confirmation: String, Codable, Hashable, Sendable, CaseIterable {
    /// The loss that the request causes is intended.
    case confirmed
    /// The request is meant although the folder holds a home or secrets.
    case sensitive
  }
}
