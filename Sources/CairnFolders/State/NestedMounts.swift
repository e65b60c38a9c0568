public import CairnContainer
import CairnReplica
public import CairnZone

/// The engine's requests to the owner of all mounts of this device: to replace a directory that got
/// a zone of its own by another mount, and to take it back. Called on the engine's thread.
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
  /// Returns whether that part of a zone was deleted from it, as far as this device knows.
  func isDeleted(_ part: ZonePart) throws -> Bool
  /// Deletes a single file from its zone, because its person deleted it.
  /// - Returns: false if this person may not.
  func deleteFile(_ part: ZonePart) throws -> Bool
  /// Returns the zone that a part left when it returned, and whether it could be read to its end
  /// now; nil if this device can't open it any more.
  /// - Throws: `CloudError` if the container can't be used now.
  func left(_ part: ZonePart) throws -> (zone: Zone?, isReadThrough: Bool)
  /// Forgets that a deleted part came from another zone: it doesn't return.
  func release(_ part: ZonePart) throws
  /// Returns the absolute path at which this device mirrors that part of a zone.
  func path(of part: ZonePart) -> [UInt8]?
  /// Returns whether a command is about to mirror the part: its folder has its mark already.
  func isComing(_ part: ZonePart) -> Bool
  /// Mirrors the part at that path from now on, wherever it was before.
  func mirror(_ part: ZonePart, at path: [UInt8], isFile: Bool) throws
  /// Asks the mount around a single file which file has its name now.
  func askOuter(of part: ZonePart)
  /// Lets the mount of a part scan its folder again.
  func lookAgain(at part: ZonePart)
  /// Ends the mirror's work for now. Its data in the index is kept.
  func pause(_ part: ZonePart)
  /// Notes that a record of another zone of this person moves to the given one, under its id.
  /// - Returns: The other zone, whose chunks may be borrowed; nil if the record can't continue from
  ///   there.
  func follow(_ record: RecordID, from other: ZoneID, to zone: Zone) throws -> Zone?
  /// Ends the separate mirror of the part.
  func forget(_ part: ZonePart) throws
}

extension NestedMounts {
  /// The default: no command does.
  public func isComing(_ part: ZonePart) -> Bool { false }
}
