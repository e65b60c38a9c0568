import CairnControl
import CairnStore

/// Where a person says that a container is, or is to be.
enum GivenLocation {
  /// Reads it.
  /// - Parameters:
  ///   - path: a directory, absolute, or the address of a bucket or a web server.
  ///   - settings: what else has to be known of a bucket.
  /// - Returns: the place; nothing was asked of it.
  /// - Throws: `ControlError` if it can't be one.
  static func read(
    _ path: Control.Path?, _ settings: StoreSettings
  ) throws(ControlError) -> StoreLocation {
    if let location = path?.text.flatMap({ StoreLocation($0, settings) }) { return location }
    let isAddress = path?.text.map { StoreLocation.isAddress($0) } ?? false
    throw ControlError(
      .invalidArguments,
      isAddress
        ? "\(path?.text ?? "") is no address of a container."
        : "The container's path isn't valid UTF-8 text.",
      remedy: isAddress
        ? "Write it as s3:https://HOST/BUCKET/PREFIX, as s3://BUCKET/PREFIX for Amazon's, or as "
          + "https://HOST/PATH for one behind a web server, which is only read."
        : "Choose a folder with a plain name.", path: path)
  }
}
