import Glibc

/// The containers of a home. The files of the first one are directly in the home. Each further one
/// has a folder below `containers`, with a configuration, keys and index files of its own. Socket,
/// lock, logs and the caches of views belong to the whole home.
extension Home {
  /// The environment variable with the container that commands mean.
  public static let containerVariable = "CAIRN_CONTAINER"

  /// The maximum length of a container's name, which is also that of its id.
  static let longestName = 32

  /// Returns whether a container can have that name: 1 to 32 of a-z, 0-9, dot, dash and underscore,
  /// the first one a letter or digit.
  public static func isContainerName(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = name.utf8.first, letters.contains(first) || digits.contains(first),
      name.utf8.count <= longestName
    else { return false }
    return name.utf8.allSatisfy { byte in
      letters.contains(byte) || digits.contains(byte) || ".-_".utf8.contains(byte)
    }
  }

  /// The error for a text that can't be a container's name.
  public static func invalidContainerName(_ name: String) -> ControlError {
    ControlError(
      .invalidArguments, "“\(Control.Path(name))” can't be the name of a container.",
      remedy: "Use 1 to 32 of a-z, 0-9, dot, dash and underscore, the first a letter or digit.")
  }

  /// The maximum length of a name to which a number is added.
  public static let longestFolderName = 28

  static func container(in environment: [String: String]) throws(ControlError) -> String? {
    guard let name = environment[containerVariable], !name.isEmpty else { return nil }
    guard isContainerName(name) else { throw invalidContainerName(name) }
    return name
  }

  /// The folder with the folders of further containers; missing before the first.
  var containers: String { base + "/containers" }

  /// Returns the files of a further container, whose folder has that name.
  public func further(_ name: String) -> Home { Home(self, in: containers + "/" + name) }

  /// The names of the folders of further containers, sorted.
  public var furtherNames: [String] {
    guard let folder = opendir(containers) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          String(validatingCString: $0)
        }
      }
      if let name, Self.isContainerName(name) { names.append(name) }
    }
    return names.sorted()
  }

  /// A Boolean value that indicates whether the home has a container.
  public var hasContainer: Bool { isSetUp || furtherNames.contains { further($0).isSetUp } }

  /// The configuration of a container that was removed from this home; missing before that.
  public var removedConfiguration: String { configuration + ".removed" }

  /// A Boolean value that indicates whether a container was removed from here.
  public var wasContainer: Bool { access(removedConfiguration, F_OK) == 0 }
}
