import CairnControl
import CairnStore
import Glibc

/// The containers of a home, by their configurations. It opens none of them.
struct HomeContainers {
  /// One container of a home.
  struct Entry: Sendable {
    /// The container's files.
    var home: Home
    /// Its name in this home, which no other container of the home has.
    var name: String
    /// The content of `cairn.conf`; nil if it can't be read.
    var configuration: Configuration?
  }

  /// The name of a home's first container, unless its configuration names it.
  static let firstName = "default"

  let home: Home
  /// The containers, the first one of the home first.
  let all: [Entry]

  /// Reads the configurations of a home.
  init(_ home: Home) {
    self.home = home
    let further = home.furtherNames.map { (home.further($0), $0) }
    var taken: Set<String> = []
    all = ([(home, Self.firstName)] + further).filter { $0.0.isSetUp }.map { files, usual in
      // The reason for a failure is reported where the container is opened.
      let configuration = try? Configuration.load(files.configuration)
      let wanted = configuration?.name ?? usual
      // Only an edited file gives a name twice; the id is unique.
      let name = taken.contains(wanted) ? configuration?.containerID ?? usual : wanted
      taken.insert(name)
      return Entry(home: files, name: name, configuration: configuration)
    }
  }

  // MARK: New containers

  /// Returns the place for a new container's files. Its name is nil for the first container of a
  /// home. Throws `ControlError` if the name is invalid or taken.
  func place(for name: String?) throws(ControlError) -> Home {
    guard let name else { return home }
    guard Home.isContainerName(name) else { throw Home.invalidContainerName(name) }
    if let known = all.first(where: { $0.name == name }) {
      throw ControlError(
        .alreadyExists,
        "This home has a container called \(name) already (\(known.home.configuration)).",
        remedy: "Use it, or give the new one another name with --as.",
        path: Control.Path(known.home.configuration))
    }
    let further = home.furtherNames.map { home.further($0) }
    // The keys of a removed container are used again.
    if let removed = ([home] + further).first(where: { !$0.isSetUp && wasRemoved($0, name) }) {
      return removed
    }
    guard !all.isEmpty else { return home }
    // A renamed container keeps its folder.
    let names = [name] + (2..<1_000).map { "\(name.prefix(Home.longestFolderName))-\($0)" }
    for folder in names {
      let place = self.home.further(folder)
      if !place.isSetUp, !place.wasContainer { return place }
    }
    throw ControlError(
      .constraintViolation, "A thousand containers of this home were called \(name).",
      remedy: "Give another name with --as.")
  }

  private func wasRemoved(_ place: Home, _ name: String) -> Bool {
    guard place.wasContainer else { return false }
    // An unreadable file names nothing.
    let known = try? Configuration.load(place.removedConfiguration)
    return Self.name(of: known, at: place, in: home) == name
  }

  /// Returns the name of a removed container.
  private static func name(
    of configuration: Configuration?, at place: Home, in home: Home
  ) -> String {
    configuration?.name ?? (place == home ? firstName : folderName(of: place))
  }

  private static func folderName(of place: Home) -> String {
    place.configuration.split(separator: "/").dropLast().last.map(String.init) ?? firstName
  }

  /// Refuses a second account of this home in a container, and a place with the keys and the index
  /// of another container.
  /// - Parameters:
  ///   - id: The container's id; nil if the container is yet to be created.
  ///   - place: The place of its files, by `place(for:)`.
  /// - Throws: `ControlError`, `.alreadyExists`.
  func checkNew(_ id: String?, at place: Home) throws(ControlError) {
    if let id, let known = all.first(where: { $0.configuration?.containerID == id }) {
      throw ControlError(
        .alreadyExists,
        "This home has an account in this container already: it is its container \(known.name).",
        remedy: "Use it, or set CAIRN_HOME to another folder for another person.",
        path: Control.Path(known.home.configuration))
    }
    guard place.wasContainer else { return }
    // Nothing is known of the container of an unreadable file.
    let removed = try? Configuration.load(place.removedConfiguration)
    guard id == nil || removed?.containerID != id else { return }
    let name = Self.name(of: removed, at: place, in: home)
    let location = removed.map { " at \(Control.Path($0.location.text))" } ?? ""
    throw ControlError(
      .alreadyExists,
      "\(name) was another container\(location). Its keys are kept for its return, and each "
        + "container has its own.",
      remedy: "Give the new container another name with --as.",
      path: Control.Path(place.removedConfiguration))
  }
}
