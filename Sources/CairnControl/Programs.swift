import Glibc

/// The other programs of Cairn, in the same folder as this one.
public enum Programs {
  /// The folder of this program; nil if it is unknown.
  private static var folder: String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    guard let own = String(validating: bytes, as: UTF8.self), let slash = own.lastIndex(of: "/")
    else { return nil }
    return String(own[..<slash])
  }

  /// `cairn-watch`, beside this program.
  public static var watch: String { (folder ?? "") + "/cairn-watch" }

  /// `cairn`, beside this program.
  public static var cairn: String { (folder ?? "") + "/cairn" }

  /// `cairnd` beside this program, or else in the folders of `PATH`. Throws `notRunning` if it is
  /// in none of them.
  static func daemon() throws(ControlError) -> String {
    if let own = folder.map({ $0 + "/cairnd" }), access(own, X_OK) == 0 { return own }
    if let found = inPath("cairnd") { return found }
    throw ControlError(
      .notRunning, "The program cairnd is neither beside this one nor in PATH.",
      remedy: "Install Cairn completely (`make install`), or put cairnd's folder into PATH.")
  }

  /// A program in the absolute folders of `PATH`; nil if it is in none.
  public static func inPath(_ name: String) -> String? {
    let path = getenv("PATH").flatMap { String(validatingCString: $0) } ?? ""
    return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { $0 + "/" + name }
      .first { access($0, X_OK) == 0 }
  }
}
