import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore

/// Other places to which a container is copied or moved: the permitted ones, and their stores.
struct ContainerPlaces {
  let one: OpenContainer
  let mounts: Mounts

  /// Returns the place that a person names.
  func target(_ path: Control.Path, _ bucket: Control.Bucket) throws -> StoreLocation {
    let location = try GivenLocation.read(path, try BucketKeys.settings(bucket))
    guard !location.isReadOnly else {
      throw ControlError(
        .invalidArguments, "\(location) is behind a web server, which stores nothing.",
        remedy: "Name the directory or the bucket that it shows.", path: path)
    }
    guard !location.overlaps(try one.location()) else {
      throw ControlError(
        .invalidArguments, "\(location) is the container itself, in it or around it.",
        remedy: "Name a place that has nothing to do with it.", path: path)
    }
    if let folder = location.folder, let mount = mounts.find(Array(folder.utf8))?.mount {
      throw ControlError(
        .invalidArguments,
        "\(location) is in \(Control.Path(mount.path)), which is mirrored to the container.",
        remedy: "Name a place that isn't shared.", path: path)
    }
    return location
  }

  /// Returns the store at a place. The root of an existing container must exist all the time:
  /// otherwise its disk was taken away.
  func open(_ location: StoreLocation) throws -> any ObjectStore {
    try location.make()
    let isThere = try ContainerFile.root(of: location.open(isReadOnly: true)) != nil
    let store = location.open(mark: isThere ? ObjectKey(ContainerFile.key) : nil)
    // The limits of a line apply to everything that goes over it.
    return location.folder == nil ? TrafficStore(store, one.traffic, .line) : store
  }

  static func failure(_ error: StoreError) -> ControlError {
    guard error.code != .paused else { return Failures.control(error) }
    return ControlError(
      Failures.code(of: error), Failures.sentence(error.cause),
      remedy: "Then run the command again: it continues where it was.")
  }
}
