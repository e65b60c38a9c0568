import Glibc

/// The path of a program of this package, as built with the tests: in the folder above the test
/// bundle that holds it, whether the tests run from the bundle or from the toolchain's helper.
func builtProgram(_ name: String) -> String? {
  var link = [UInt8](repeating: 0, count: 4096)
  let count = link.withUnsafeMutableBytes { bytes in
    bytes.withMemoryRebound(to: CChar.self) { text in
      text.baseAddress.map { readlink("/proc/self/exe", $0, text.count) } ?? -1
    }
  }
  var starts = CommandLine.arguments.filter { $0.hasPrefix("/") }
  if count > 0 { starts.insert(String(decoding: link[..<count], as: UTF8.self), at: 0) }
  for start in starts {
    var folder = start[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      let candidate = folder + "/" + name
      var stat = stat()
      let isFile = lstat(candidate, &stat) == 0 && stat.st_mode & S_IFMT == S_IFREG
      if isFile, access(candidate, X_OK) == 0 { return candidate }
    }
  }
  return nil
}
