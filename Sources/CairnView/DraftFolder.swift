import CairnControl
import Glibc
import Synchronization

/// A changed file of a view whose bytes are in a file of the view's folder until they are in the
/// zone.
struct Draft: Sendable {
  /// The name of the file in the folder, and its descriptor.
  let file: String
  let descriptor: CInt
  /// The place of a new file.
  var directory: String
  var name: [UInt8]
  /// The record, and the content of the version that is changed; nil for a new file.
  var record: String?
  var base: String?
  var executable: Bool
  /// The modification time that a program has set, in nanoseconds.
  var modified: Int64?
  /// The number of changes so far, and of those that are in the zone.
  var changes = 0
  var sent = 0
  /// A Boolean value that indicates whether a program wrote since the bytes were sent.
  var isWritten = false
  /// The number of handles.
  var opens = 0
  /// A Boolean value that indicates whether the file was deleted: it is never sent.
  var isGone = false
  /// A Boolean value that indicates whether the zone refused the file: it isn't sent again soon.
  var isRefused = false

  /// A Boolean value that indicates whether the zone lacks changes.
  var isPending: Bool { !isGone && changes != sent }

  /// The size in bytes, and the modification time in nanoseconds.
  var measure: (size: Int64, modified: Int64) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return (0, modified ?? 0) }
    let time = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    return (Int64(status.st_size), modified ?? time)
  }
}

/// The files of drafts in a view's folder. Each has its name in the share beside it, in a file of
/// its own, so that a file which a killed process left has its name.
struct DraftFolder: Sendable {
  private static let (prefix, suffix) = ("draft-", ".name")

  /// The folder of the view.
  let folder: String
  /// The folder for bytes that can't be sent.
  let rescue: String
  /// The path of the view.
  let origin: Control.Path

  /// Makes an empty file.
  func make(number: UInt64, name: [UInt8]) throws(SystemError) -> (file: String, CInt) {
    let file = "\(Self.prefix)\(getpid())-\(number)"
    let path = "\(folder)/\(file)"
    let note = try make(path + Self.suffix, O_WRONLY)
    defer { close(note) }
    do throws(SystemError) {
      guard write(note, name, name.count) == name.count else { throw SystemError(ENOSPC) }
      return (file, try make(path, O_RDWR))
    } catch {
      unlink(path + Self.suffix)
      throw error
    }
  }

  private func make(_ path: String, _ access: CInt) throws(SystemError) -> CInt {
    let descriptor = open(path, access | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError(errno) }
    return descriptor
  }

  /// Removes a draft.
  func remove(_ file: String, _ descriptor: CInt) {
    close(descriptor)
    unlink("\(folder)/\(file)")
    unlink("\(folder)/\(file)\(Self.suffix)")
  }

  /// Moves the files of drafts into the rescue folder, if there are any.
  /// - Returns: The path of each file afterwards, and the failure if it wasn't moved.
  func rescueAll() -> [(path: Control.Path, failure: SystemError?)] {
    let names = Set(ViewFolder.names(in: folder).filter { $0.hasPrefix(Self.prefix) })
    // A process that was killed in between may have left a note without a file.
    for note in names where note.hasSuffix(Self.suffix) {
      if !names.contains(String(note.dropLast(Self.suffix.count))) { unlink("\(folder)/\(note)") }
    }
    return names.filter { !$0.hasSuffix(Self.suffix) }.sorted().map { file in
      do throws(SystemError) { return (try rescue(file), nil) } catch {
        return (Control.Path("\(folder)/\(file)"), error)
      }
    }
  }

  private func rescue(_ file: String) throws(SystemError) -> Control.Path {
    let noted = name(of: file)
    let name = noted.isEmpty ? Array(file.utf8) : noted
    do {
      try Home.makePrivateFolder(rescue)
      try RescuePlace.note(origin, reason: "a view could not send it", beside: rescue)
    } catch let error as ControlError { throw SystemError(error) } catch { throw SystemError(EIO) }
    for number in 1...10_000 {
      let ending = number == 1 ? [] : Array(" \(number)".utf8)
      let target = Array("\(rescue)/".utf8) + name.prefix(255 - ending.count) + ending
      // A name is bytes, and needn't be UTF-8.
      let text = target.map { CChar(bitPattern: $0) } + [0]
      guard access(text, F_OK) != 0 else { continue }
      guard rename("\(folder)/\(file)", text) == 0 else { throw SystemError(errno) }
      unlink("\(folder)/\(file)\(Self.suffix)")
      return Control.Path(target)
    }
    throw SystemError(EEXIST)
  }

  /// Returns the name of a draft in its share; empty if it is unknown.
  private func name(of file: String) -> [UInt8] {
    let note = open("\(folder)/\(file)\(Self.suffix)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard note >= 0 else { return [] }
    defer { close(note) }
    var name = [UInt8](repeating: 0, count: 255)
    let count = read(note, &name, name.count)
    return Array(name.prefix(max(0, count)))
  }
}
