import CairnIdentity
import CairnPlan
import CairnZone
import Glibc

extension Scanner {
  /// Returns whether a directory isn't this mount's: it is the folder of another mount, or Cairn's
  /// own folder in a copy of one, or one that is never mirrored.
  func isForeign(
    _ stat: FileStat, _ directory: Descriptor, _ place: Place, _ path: [FileNameBytes],
    _ report: inout Report
  ) throws -> Bool {
    let name = place.name.bytes
    if name == Staging.folder {
      return try FileStat.at(directory.openDirectory([name]), MountMark.markName) != nil
    }
    if let reason = try offLimits.reason(of: name, stat, in: directory) {
      report.problems.append(
        PathProblem(
          path: joined(path + [name]), code: nil, message: reason,
          remedy: "keep it out of mirrored folders"))
      return true
    }
    // Most directories contain no folder of Cairn's own, and this check is fast.
    guard try holdsOwnFolder(directory, name),
      // A directory that the index has as this mount's own carries no mark of another one.
      try !isOwnDirectory(place, stat),
      let part = try mark(in: directory, name), try isMirror(part, stat)
    else { return false }
    if strangers[part]?.path != path + [name] { report.strangers = true }
    strangers[part] = (place, path + [name])
    return true
  }

  /// Returns whether a file has a mount of its own, and isn't where that mount expects it: its
  /// person moved it there.
  func isNestedFile(
    _ stat: FileStat, _ place: Place, _ path: [FileNameBytes], _ report: inout Report
  ) -> Bool {
    guard let part = nestedFiles.part(of: stat, at: place), nestedFiles.places[place] != part else {
      return false
    }
    let full = path + [place.name.bytes]
    if strangers[part]?.path != full { report.strangers = true }
    strangers[part] = (place, full)
    return true
  }

  /// Returns whether the file at the one mirrored file's name may be taken for that file. Another
  /// file at the name may be a new version of it, or a different file: two files may have exchanged
  /// their names, or its person moved it away. The mount around it sees all these names and
  /// decides. If that takes longer than `patience`, the name decides.
  func isJudged(_ stat: FileStat, _ only: OnlyFile) throws -> Bool {
    guard let isRewritten = single.isRewritten,
      let row = try index.read(mount, { try $0.node(only.id) }), row.local != nil,
      !row.isSameInode(as: stat), !isRewritten(stat)
    else {
      single.unjudged = nil
      return true
    }
    let since = single.unjudged.flatMap { stat.isSameInode(as: $0.file) ? $0.since : nil } ?? now()
    single.unjudged = (stat, since)
    return now() - since >= Self.patience
  }

  /// The time after which a mount around this one that gives no answer isn't asked any more: it may
  /// be paused.
  private static let patience = 30 * Int64.second

  /// Returns whether the one mirrored file was deleted; if not, its problem is reported.
  func isDeleted(
    _ stat: FileStat?, _ place: Place, _ path: [FileNameBytes], in directory: Descriptor,
    _ report: inout Report
  ) throws -> Bool {
    if try stat == nil && single.takesDeletion && !isRenamed(place, in: directory) { return true }
    report.problems.append(Self.missing(path, place.name))
    return false
  }

  /// Returns whether the one mirrored file has another name in its directory now. Then its person
  /// renamed it, and didn't delete it.
  private func isRenamed(_ place: Place, in directory: Descriptor) throws -> Bool {
    guard let row = try index.read(mount, { try $0.child(at: place) }) else { return false }
    return try DirectoryListing.names(of: directory).contains { name in
      try FileStat.at(directory, name).map { row.isSameInode(as: $0) } ?? false
    }
  }

  private func holdsOwnFolder(
    _ directory: Descriptor, _ name: FileNameBytes
  ) throws(FolderError) -> Bool {
    do throws(FolderError) {
      return try FileStat.at(directory, name + [UInt8(ascii: "/")] + Staging.folder) != nil
    } catch {
      // An unreadable directory is reported by its listing.
      guard error.code == .denied else { throw error }
      return false
    }
  }

  private func mark(in directory: Descriptor, _ name: FileNameBytes) throws -> ZonePart? {
    do {
      return try MountMark.mark(in: directory, [name])
    } catch let error as FolderError {
      // An unreadable directory is reported by its listing.
      guard error.code == .denied else { throw error }
      return nil
    }
  }

  /// Returns the problem of a single file that is missing: it may come back, so nothing counts as
  /// deleted.
  static func missing(_ path: [FileNameBytes], _ name: FileName) -> PathProblem {
    PathProblem(
      path: joined(path + [name.bytes]), code: .assetFileNotFound,
      message: "the shared file isn't there any more, or is no regular file; for the others "
        + "nothing changes",
      remedy: "put it back under its name, or stop mirroring it with `cairn remove`")
  }
}
