import CairnControl
import Glibc

/// Folders that hold a home or secrets, and places of the system. To mirror, share, move to or
/// delete one needs a confirmation of its own. A value of one moment; it must not know why somebody
/// asks.
struct SensitiveFolder {
  /// Folders in a home whose whole content is secret.
  private static let secrets = [
    ".ssh", ".gnupg", ".password-store", ".aws", ".kube", ".mozilla", ".thunderbird",
    ".local/share/keyrings",
  ]
  /// Folders in a home in which secrets are among other things.
  private static let mixed = [".config", ".local", ".local/share", ".var"]

  /// Directories of the system, with everything in them.
  private static let system = [
    "/etc", "/boot", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/proc",
    "/sys", "/dev", "/run", "/var",
  ]
  /// Places inside them where people store their own files.
  private static let people = ["/run/media", "/var/tmp"]

  /// The home folder, absolute; nil if the environment names none.
  let home: String?

  /// For the home folder of this environment.
  init(home: String? = getenv("HOME").flatMap { String(validatingCString: $0) }) {
    self.home = home.flatMap { $0.hasPrefix("/") && $0 != "/" ? $0 : nil }
  }

  /// Refuses folders that hold a home or secrets, and places of the system, unless that is meant.
  static func check(_ paths: [Control.Path], isMeant: Bool) throws(ControlError) {
    guard !isMeant else { return }
    let folder = SensitiveFolder()
    for path in paths {
      guard let reason = folder.reason(path) else { continue }
      throw ControlError(
        .invalidArguments, "\(path) \(reason).",
        remedy: "Name another place, or repeat with --sensitive if that is meant.",
        path: path, confirm: .sensitive)
    }
  }

  /// The reason to ask again about a folder, as in "PATH …"; nil if there is none.
  func reason(_ path: Control.Path) -> String? {
    let views = MountViews.now()
    let place = Whereabouts(path.bytes, views)
    var isInHome = false
    if let home {
      let own = Whereabouts(Array(home.utf8), views)
      isInHome = place.isInside(own)
      if place.isSame(as: own) { return "is your home folder, with your keys and settings" }
      if own.isInside(place) { return "contains your home folder, \(Control.Path(home))" }
      for name in Self.secrets {
        let secret = Whereabouts(Array("\(home)/\(name)".utf8), views)
        if place.isInside(secret) { return "holds secrets: it is in ~/\(name)" }
        if secret.isInside(place), Control.Path("\(home)/\(name)").exists {
          return "holds secrets: it contains ~/\(name)"
        }
      }
      for name in Self.mixed {
        let mixed = Whereabouts(Array("\(home)/\(name)".utf8), views)
        guard place.isSame(as: mixed) else { continue }
        return "holds the settings of your programs, and passwords among them"
      }
    }
    // Somebody else's home, or a copy of one.
    for name in Self.secrets where Control.Path(path.bytes + Array("/\(name)".utf8)).isFolder {
      return "holds secrets: it contains \(name)"
    }
    if Self.secrets.contains(where: { Array($0.utf8) == path.lastName }) {
      return "holds secrets: it is called \(Control.Path(path.lastName))"
    }
    return isInHome ? nil : Self.systemPlace(of: path)
  }

  /// The reason to ask about a place of the system. Other mounts of a directory don't count: the
  /// whole disk may be visible below `/run`.
  private static func systemPlace(of path: Control.Path) -> String? {
    let views = MountViews([])
    let place = Whereabouts(path.bytes, views)
    guard !people.contains(where: { place.isInside(Whereabouts(Array($0.utf8), views)) }) else {
      return nil
    }
    for name in system {
      let directory = Whereabouts(Array(name.utf8), views)
      guard place.isInside(directory) || directory.isInside(place) else { continue }
      if name == "/var", isOwn(path) { continue }
      return "belongs to the system: it " + (place.isInside(directory) ? "is in" : "contains")
        + " \(name)"
    }
    return nil
  }

  /// Returns whether a path, or its nearest parent that exists, is this person's, who isn't root.
  private static func isOwn(_ path: Control.Path) -> Bool {
    var status = stat()
    let found = WatchRoots.prefixes(of: path.bytes).first { prefix in
      prefix.withPath { stat($0, &status) } == 0
    }
    return found != nil && status.st_uid == geteuid() && geteuid() != 0
  }
}
