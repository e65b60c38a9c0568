import CairnContainer
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// A person's operations on zones inside of a mount.
///
/// It uses these parts of the state: `path`, `read`, `references`, `scope`, `write`, `zone`,
/// `zoneSync`.
struct NestingActs {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Moves directories and files of this mount to another zone. They and their data go to mounts of
  /// that zone.
  /// - Parameters:
  ///   - paths: The paths relative to the folder.
  ///   - target: The zone to move them to.
  /// - Returns: The new references, in the order of the paths.
  /// - Throws: `CloudError` with `.alreadyShared` if a path is in a share or has one in it, or with
  ///   `.serviceUnavailable` if the zone doesn't have it yet.
  func nest(_ paths: [[UInt8]], into target: NestingTarget) throws -> [Nesting] {
    guard let nested = state.references.owner, state.scope.holdsReferences else {
      throw CloudError(
        .serverRejectedRequest,
        "the folder around it was in one share with others, and is a part of what that was",
        remedy: "`cairn remove` that folder and `cairn add` it: then it is one by itself")
    }
    try RootCheck(state).checkRoot()
    try FolderSteps(state).finishPortion()
    let items = try paths.map { path in
      guard let id = try state.read({ try $0.record(at: Self.names(of: path)) }),
        try state.zone.read({ try $0.record(id) }) != nil
      else { throw Self.notYet(path) }
      return Nestling(id, path: state.path + [UInt8(ascii: "/")] + path)
    }
    let before = state.zone.header.sequence
    let nestings = try nested.nest(items, of: state.zone, into: target)
    // Only that one commit was added: nothing in it is new here.
    let header = state.zone.header
    if header.sequence == before + 1 {
      try state.write { try ZoneCommits.pass(header, in: $0, of: state) }
    } else {
      state.zoneSync.needsPull = true
    }
    try NestedShareUpkeep(state).tendReferences()
    return nestings
  }

  static func names(of path: [UInt8]) -> [FileNameBytes] {
    path.split(separator: UInt8(ascii: "/")).map { Array($0) }
  }

  private static func notYet(_ path: [UInt8]) -> CloudError {
    CloudError(
      .serviceUnavailable,
      "\(String(decoding: path, as: UTF8.self)) isn't in the zone yet, or isn't mirrored",
      remedy: "say the same again when `cairn wait` has returned")
  }

  /// Takes back the directories and files that returned to the zone, at once.
  func takeBackReferences() throws {
    try FolderSteps(state).finishPortion()
    try ZonePull(state).pull()
    try NestedShareUpkeep(state).tendReferences()
  }

  /// Returns whether a directory or file in this mount has a zone of its own.
  func holdsReferences() throws -> Bool {
    try state.zone.read { try !$0.references().isEmpty }
  }
}
