import Glibc

/// A fresh folder for one test, removed with everything in it when the test ends.
final class TemporaryFolder: Sendable {
  let path: String

  init(in parent: String = "/tmp") {
    var template = Array("\(parent)/cairn-store-XXXXXX".utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
    }
    precondition(isMade, "mkdtemp failed in \(parent)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    remove(path)
  }

  private func remove(_ path: String) {
    for name in names(of: path) {
      let inside = "\(path)/\(name)"
      if unlink(inside) != 0 { remove(inside) }
    }
    rmdir(path)
  }

  /// The names in a folder beneath this one ("" for itself), without "." and "..".
  func names(in folder: String = "") -> [String] {
    names(of: folder.isEmpty ? path : "\(path)/\(folder)").sorted()
  }

  private func names(of path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  func mode(of name: String) -> UInt32 {
    var status = stat()
    return lstat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  func write(_ name: String, _ text: String) {
    guard let file = fopen("\(path)/\(name)", "w") else { return }
    fputs(text, file)
    fclose(file)
  }
}
