import Glibc

/// The path of a program, or of a library, of this package, as built with the tests: in the folder
/// above the test bundle that holds it, whether the tests run from the bundle or from the
/// toolchain's helper.
/// - Parameter name: the file's name.
/// - Returns: its absolute path; nil if it isn't built.
public func builtProgram(_ name: String) -> String? {
  var starts = CommandLine.arguments.filter { $0.hasPrefix("/") }
  if let own = realpath("/proc/self/exe", nil) {
    starts.insert(String(cString: own), at: 0)
    free(own)
  }
  for start in starts {
    var folder = start[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      let candidate = folder + "/" + name
      var status = stat()
      let isFile = lstat(candidate, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      if isFile, access(candidate, X_OK) == 0 { return candidate }
    }
  }
  return nil
}
