import Glibc

/// The other programs of Cairn, which stand beside this one.
public enum Programs {
  /// The folder of this program; nil if that can't be told.
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

  /// `cairnd`: beside this program, else in the folders of `PATH`. Throws `notRunning` if it is in
  /// none of these places.
  static func daemon() throws(ControlError) -> String {
    var folders = [folder].compactMap { $0 }
    if let path = getenv("PATH").flatMap({ String(validatingCString: $0) }) {
      folders += path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }
    for folder in folders where access(folder + "/cairnd", X_OK) == 0 {
      return folder + "/cairnd"
    }
    throw ControlError(
      .notRunning, "The program cairnd is neither beside this one nor in PATH.",
      remedy: "Install Cairn completely (`make install`), or put cairnd's folder into PATH.")
  }
}
