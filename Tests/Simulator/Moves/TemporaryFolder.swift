import Glibc

/// A folder without directories in it, which is removed with the value.
final class TemporaryFolder {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/cairn-moves-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Violation(rule: "simulator", message: String(cString: strerror(errno)))
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink("\(path)/\(name)")
      }
      closedir(directory)
    }
    rmdir(path)
  }
}
