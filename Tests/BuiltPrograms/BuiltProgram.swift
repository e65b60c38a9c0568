import Glibc

/// The path of a program or library of this package that was built with the tests. It is in the
/// folder above the test bundle, whether the tests run from the bundle or from the toolchain's
/// helper.
/// - Parameter name: The name of the file.
/// - Returns: Its absolute path, or nil if it isn't built.
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
