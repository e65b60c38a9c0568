import CairnIndex
public import CairnZone

/// Past versions of a file that its owner wants nobody to have any more, and where their bytes
/// stand besides. It changes nothing by itself.
public struct PastToForget: Sendable {
  /// Somewhere else that the same bytes stand.
  public struct Elsewhere: Hashable, Sendable {
    /// In which record.
    public var record: Record
    /// Whether the record is so now; otherwise it was, with `record.changed`.
    public var isPresent: Bool
  }

  /// Why nothing can be forgotten.
  public enum Refusal: Error, Hashable, Sendable {
    /// The version is what the file is now.
    case isPresent
    /// The record has no such version, or none that is over.
    case isUnknown
    /// Only files and symlinks have versions of their own.
    case isDirectory
  }

  /// Which.
  public let record: RecordID
  /// The versions, the latest first: with one of them go all that have the same content.
  public let versions: [RecordVersion]
  /// So many places are told at most.
  private static let most = 100

  /// - Parameters:
  ///   - record: The file or symlink, which may be deleted.
  ///   - began: The place of the log with which a version began; nil: all that differ from what it
  ///     is now.
  ///   - view: The zone.
  /// - Throws: `Refusal`, and `IndexFailure` if the index can't be read.
  public init(of record: RecordID, version began: UInt64?, in view: ZoneView) throws {
    let all = try view.versions(of: record, limit: .max)
    guard let type = all.first?.record.type else { throw Refusal.isUnknown }
    guard type == .file || type == .symlink else { throw Refusal.isDirectory }
    let present = all.first.flatMap { $0.end == nil ? Substance($0) : nil }
    var wanted: Substance?
    if let began {
      guard let version = all.first(where: { $0.began == began }) else { throw Refusal.isUnknown }
      wanted = Substance(version)
      guard wanted != present else { throw Refusal.isPresent }
    }
    self.record = record
    versions = all.filter { version in
      guard version.end != nil else { return false }
      return wanted.map { $0 == Substance(version) } ?? (Substance(version) != present)
    }
    guard !versions.isEmpty else { throw Refusal.isUnknown }
  }

  /// What of a version is to go.
  private struct Substance: Equatable {
    let content: ContentID?
    let target: [UInt8]?

    init(_ version: RecordVersion) {
      (content, target) = (version.record.content?.id, version.record.target)
    }
  }

  /// How many bytes their contents have, each counted once.
  public var bytes: UInt64 {
    Set(versions.compactMap(\.record.content)).reduce(0) {
      $0.addingReportingOverflow($1.size).overflow ? .max : $0 + $1.size
    }
  }

  /// Where some of the same bytes stand: they don't go with these versions.
  /// - Parameter view: The zone.
  /// - Returns: records as they are first, then as they were; 100 at most.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func elsewhere(in view: ZoneView) throws -> [Elsewhere] {
    let chunks = Set(versions.flatMap { $0.record.content?.chunks ?? [] })
    guard !chunks.isEmpty else { return [] }
    var found = try view.state.files(holding: chunks).compactMap { file in
      try view.record(file.record).map { Elsewhere(record: $0, isPresent: true) }
    }
    let going = Set(versions.map(\.began))
    found += try view.state.formerFiles(holding: chunks, limit: Self.most + going.count).filter {
      $0.id != record || !going.contains($0.changed.sequence)
    }.map { Elsewhere(record: $0, isPresent: false) }
    return Array(found.prefix(Self.most))
  }
}
