import CairnSystem
import Glibc

/// An unfinished file in a store's `tmp` folder. It is removed with its owner, when it already has
/// its name as an object, or never will. It knows nothing of keys.
struct StagedObject: ~Copyable {
  private static let namePrefix = "t-"

  let folder: Descriptor
  let file: Descriptor
  let name: String

  deinit {
    unlinkat(folder.raw, name, 0)
  }

  private init(folder: consuming Descriptor, file: consuming Descriptor, name: String) {
    self.folder = folder
    self.file = file
    self.name = name
  }

  /// A name that no other writer makes: 128 random bits.
  static func randomName() -> String {
    var generator = SystemRandomNumberGenerator()
    let words = [generator.next() as UInt64, generator.next()]
    return namePrefix
      + words.map { word in
        let text = String(word, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
      }.joined()
  }

  /// A Boolean value that indicates whether `randomName` could have made this name.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == namePrefix.utf8.count + 32 && name.hasPrefix(namePrefix)
  }

  /// Writes the bytes to a file in `folder` and makes it durable. Returns the file, or errno in
  /// `problem`.
  static func write(
    _ bytes: [UInt8], in folder: consuming Descriptor, mode: mode_t, problem: inout Int32
  ) -> StagedObject? {
    let name = randomName()
    let raw = openat(folder.raw, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard raw >= 0 else {
      problem = errno
      return nil
    }
    let staged = StagedObject(folder: folder, file: Descriptor(owning: raw), name: name)
    problem = writeAll(bytes, to: raw)
    // Overrides the umask, so that a group that shares the container can read. File systems without
    // Unix modes refuse this and do not need it.
    _ = fchmod(raw, mode)
    if problem == 0 && fsync(raw) != 0 { problem = errno }
    guard problem == 0 else { return nil }
    return staged
  }

  private static func writeAll(_ bytes: [UInt8], to raw: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
        let count = Glibc.write(raw, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        // Nothing written and no reason: a full device on some file systems.
        if count <= 0 { return count < 0 ? errno : ENOSPC }
        done += count
      }
      return 0
    }
  }
}
