public import CairnCloud
import CairnPlan
public import CairnZone

extension MountEngine {
  /// Gives a directory or file of this mount a zone of its own, shared under that title. The
  /// folder, and what is known about it, go over to a mount for that zone.
  /// - Parameters:
  ///   - path: where it is, relative to the folder.
  ///   - title: the share's.
  /// - Returns: what was made.
  /// - Throws: `CloudError` with `.alreadyShared` if it is in a share or has one in it, with
  ///   `.serviceUnavailable` if the zone doesn't have it yet.
  public func nest(_ path: [UInt8], title: String) throws -> Nesting {
    guard let nested else { preconditionFailure("an engine without an owner of mounts") }
    try checkRoot()
    try finishPortion()
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let id = try index.read(mount, { try $0.record(at: names) }),
      try zone.read({ try $0.record(id) }) != nil
    else { throw Self.notYet(path) }
    let before = zone.header.sequence
    let nesting = try nested.nest(
      id, of: zone, title: title, path: self.path + [UInt8(ascii: "/")] + path)
    // Only that one commit came: then nothing in it is news.
    let header = zone.header
    if header.sequence == before + 1 {
      try passOwnCommit(header)
    } else {
      exchange.needsPull = true
    }
    try tendReferences()
    return nesting
  }

  private static func notYet(_ path: [UInt8]) -> CloudError {
    CloudError(
      .serviceUnavailable,
      "\(String(decoding: path, as: UTF8.self)) isn't in the zone yet, or isn't mirrored",
      remedy: "say the same again when `cairn wait` has returned")
  }

  /// Takes back at once what came back into the zone.
  public func takeBackReferences() throws {
    try finishPortion()
    try pull()
    try tendReferences()
  }

  /// Whether something in this mount has a zone of its own.
  public func holdsReferences() throws -> Bool {
    try zone.read { try !$0.references().isEmpty }
  }
}

extension MountEngine {
  /// Takes the mark off a folder, and forgets what is known of it: it isn't a mirror any more, and
  /// no engine has it.
  public static func abandon(
    _ folder: [UInt8], _ part: ZonePart, _ isFile: Bool, _ index: FolderIndex
  ) throws {
    if let number = try index.number(of: part) { try index.forget(number) }
    do { try unclaim(folder, for: part, isFile: isFile) } catch let error as FolderError {
      guard error.code == .notFound else { throw error }
    }
  }
}
