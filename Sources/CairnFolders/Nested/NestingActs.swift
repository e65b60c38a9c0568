import CairnCloud
import CairnPlan
import CairnZone

/// What a person does about zones inside of a mount.
struct NestingActs {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Gives a directory or file of this mount a zone of its own, shared under that title. The
  /// folder, and what is known about it, go over to a mount for that zone.
  /// - Parameters:
  ///   - path: where it is, relative to the folder.
  ///   - title: the share's.
  /// - Returns: what was made.
  /// - Throws: `CloudError` with `.alreadyShared` if it is in a share or has one in it, with
  ///   `.serviceUnavailable` if the zone doesn't have it yet.
  func nest(_ path: [UInt8], title: String) throws -> Nesting {
    guard let nested = state.references.owner else {
      preconditionFailure("an engine without an owner of mounts")
    }
    try RootCheck(state).checkRoot()
    try FolderSteps(state).finishPortion()
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let id = try state.read({ try $0.record(at: names) }),
      try state.zone.read({ try $0.record(id) }) != nil
    else { throw Self.notYet(path) }
    let before = state.zone.header.sequence
    let nesting = try nested.nest(
      id, of: state.zone, title: title, path: state.path + [UInt8(ascii: "/")] + path)
    // Only that one commit came: then nothing in it is news.
    let header = state.zone.header
    if header.sequence == before + 1 {
      try ZoneCommits(state).passOwnCommit(header)
    } else {
      state.exchange.needsPull = true
    }
    try ReferenceKeeper(state).tendReferences()
    return nesting
  }

  private static func notYet(_ path: [UInt8]) -> CloudError {
    CloudError(
      .serviceUnavailable,
      "\(String(decoding: path, as: UTF8.self)) isn't in the zone yet, or isn't mirrored",
      remedy: "say the same again when `cairn wait` has returned")
  }

  /// Takes back at once what came back into the zone.
  func takeBackReferences() throws {
    try FolderSteps(state).finishPortion()
    try ZonePull(state).pull()
    try ReferenceKeeper(state).tendReferences()
  }

  /// Whether something in this mount has a zone of its own.
  func holdsReferences() throws -> Bool {
    try state.zone.read { try !$0.references().isEmpty }
  }
}

extension MountEngine {
  /// Takes the mark off a folder, and forgets what is known of it: it isn't a mirror any more, and
  /// no engine has it.
  public static func abandon(
    _ folder: [UInt8], _ part: ZonePart, _ isFile: Bool, _ index: FolderIndex
  ) throws {
    if let number = try index.number(of: part) { try index.forget(number) }
    do { try MountMark.unclaim(folder, for: part, isFile: isFile) } catch let error as FolderError {
      guard error.code == .notFound else { throw error }
    }
  }
}
