/// The features of a store, as found by tests. It contains findings, and the answers that every
/// kind of store must give.
public struct StoreTraits: Sendable, Equatable {
  /// One tested feature, for people.
  public struct Finding: Sendable, Equatable {
    /// The name of the feature.
    public let name: String
    /// A Boolean value that indicates whether it works.
    public let works: Bool
    /// Its purpose.
    public let note: String

    /// Creates a finding.
    public init(_ name: String, works: Bool, note: String) {
      self.name = name
      self.works = works
      self.note = note
    }
  }

  /// All findings.
  public let findings: [Finding]
  /// A Boolean value that indicates whether several writers may share the store: exactly one of
  /// many that race for a key wins.
  public let allowsManyWriters: Bool
  /// A Boolean value that indicates whether stored objects survive a crash.
  public let isDurable: Bool
  /// A Boolean value that indicates whether readers are notified of others' objects. If false,
  /// poll.
  public let notifies: Bool
  /// The name of the store's kind: a file system's (`ext4`, `nfs`, …), or its magic number in
  /// hexadecimal.
  public let fileSystem: String

  /// Creates the traits of a store.
  public init(
    findings: [Finding], allowsManyWriters: Bool, isDurable: Bool, notifies: Bool,
    fileSystem: String
  ) {
    self.findings = findings
    self.allowsManyWriters = allowsManyWriters
    self.isDurable = isDurable
    self.notifies = notifies
    self.fileSystem = fileSystem
  }
}
