public import CairnCloud
public import CairnZone

/// The engine's requests to the owner of all mounts of this device: to put another mount in the
/// place of a directory that got a zone of its own, and to take it back. Called from the engine's
/// thread.
public protocol NestedMounts: Sendable {
  /// Returns the origin of a part of a zone in another one, by the account's present data; nil if
  /// unknown.
  func nesting(of part: ZonePart) throws -> Nesting?
  /// Moves directories and files of a zone to another one.
  func nest(_ items: [Nestling], of zone: Zone, into target: NestingTarget) throws -> [Nesting]
  /// Returns whether the surrounding zone has no reference to that part any more, by its log.
  func isBack(_ part: ZonePart) throws -> Bool
  /// Returns whether that part of a zone is gone, as far as this device knows.
  func isGone(_ part: ZonePart) throws -> Bool
  /// Whether that part of a zone was deleted from it, as far as this device knows.
  func isDeleted(_ part: ZonePart) throws -> Bool
  /// Deletes a single file from its zone, because its person deleted it.
  /// - Returns: false if this person may not.
  func deleteFile(_ part: ZonePart) throws -> Bool
  /// Forgets how a deleted part came out of another zone: it doesn't go back.
  func release(_ part: ZonePart) throws
  /// The absolute path at which this device mirrors that part of a zone.
  func path(of part: ZonePart) -> [UInt8]?
  /// Mirrors the part at that path from now on, wherever it was before.
  func mirror(_ part: ZonePart, at path: [UInt8], isFile: Bool) throws
  /// Ends the mirror's work for now; what the index knows of it stays.
  func pause(_ part: ZonePart)
  /// Notes that a record of another zone of this person's moves to that one, under its id.
  /// - Returns: the other zone, whose chunks may be borrowed; nil if it can't go on from there.
  func follow(_ record: RecordID, from other: ZoneID, to zone: Zone) throws -> Zone?
  /// The part is no mirror of its own any more.
  func forget(_ part: ZonePart) throws
}
