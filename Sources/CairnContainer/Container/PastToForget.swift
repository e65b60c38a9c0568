import CairnIndex
import CairnReplica
public import CairnZone

/// Past versions of a file that its owner wants to erase, and the other places of their bytes. It
/// changes nothing by itself.
public struct PastToForget: Sendable {
  /// Another place of the same bytes.
  public struct Elsewhere: Hashable, Sendable {
    /// The record.
    public var record: Record
    /// A Boolean value that indicates whether it is the present version of the record; otherwise
    /// the version is that of `record.changed`.
    public var isPresent: Bool
  }

  /// The reason why nothing can be erased.
  public enum Refusal: Error, Hashable, Sendable {
    /// The version is the present one.
    case isPresent
    /// The record has no such past version.
    case isUnknown
    /// Only files and symlinks have versions of their own.
    case isDirectory
  }

  /// The record.
  public let record: RecordID
  /// The versions, the latest first. All versions with the same content are erased together.
  public let versions: [RecordVersion]
  /// The maximum number of reported places.
  private static let most = 100

  /// Finds the versions.
  /// - Parameters:
  ///   - record: The file or symlink, which may be deleted.
  ///   - began: The position of the log where a version began; nil: all that differ from the
  ///     present one.
  ///   - view: The zone.
  /// - Throws: `Refusal`, and `IndexFailure` if the index cannot be read.
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

  /// The content of a version that is erased.
  private struct Substance: Equatable {
    let content: ContentID?
    let target: [UInt8]?

    init(_ version: RecordVersion) {
      (content, target) = (version.record.content?.id, version.record.target)
    }
  }

  /// The total bytes of their contents, each counted once.
  public var bytes: UInt64 {
    Set(versions.compactMap(\.record.content)).reduce(0) {
      $0.addingReportingOverflow($1.size).overflow ? .max : $0 + $1.size
    }
  }

  /// The other places of these bytes, which are not erased with these versions.
  /// - Parameter view: The zone.
  /// - Returns: present records first, then past ones; at most 100.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func elsewhere(in view: ZoneView) throws -> [Elsewhere] {
    let chunks = Set(versions.flatMap { $0.record.content?.chunks ?? [] })
    guard !chunks.isEmpty else { return [] }
    var found = try view.state.records.holding(chunks).map {
      Elsewhere(record: $0, isPresent: true)
    }
    let going = Set(versions.map(\.began))
    found += try view.state.versions.files(holding: chunks, limit: Self.most + going.count).filter {
      $0.id != record || !going.contains($0.changed.sequence)
    }.map { Elsewhere(record: $0, isPresent: false) }
    return Array(found.prefix(Self.most))
  }
}
