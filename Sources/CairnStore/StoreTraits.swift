/// What a store really offers, as was found by trying. It carries findings, and the questions that
/// every kind of store has to answer.
public struct StoreTraits: Sendable, Equatable {
  /// One thing that was tried, for people.
  public struct Finding: Sendable, Equatable {
    /// What it is called.
    public let name: String
    /// Whether it is offered.
    public let works: Bool
    /// What it is good for.
    public let note: String

    /// A finding.
    public init(_ name: String, works: Bool, note: String) {
      self.name = name
      self.works = works
      self.note = note
    }
  }

  /// What was tried.
  public let findings: [Finding]
  /// Whether several writers may share the store: exactly one of many that race for a key wins.
  public let allowsManyWriters: Bool
  /// Whether what was put stays, whatever happens.
  public let isDurable: Bool
  /// Whether readers are told of what others put. Where this is false, ask every so often.
  public let notifies: Bool
  /// What the store is, by name: a file system's (`ext4`, `nfs`, …), or its magic number in
  /// hexadecimal.
  public let fileSystem: String

  /// Findings of a store.
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
