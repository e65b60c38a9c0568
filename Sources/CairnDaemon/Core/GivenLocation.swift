import CairnControl
import CairnStore

/// A person's text for the place of a present or future container.
enum GivenLocation {
  /// Reads the text.
  /// - Parameters:
  ///   - path: An absolute directory, or the address of a bucket or a web server.
  ///   - settings: The other settings of a bucket.
  /// - Returns: The place; no request was sent to it.
  /// - Throws: `ControlError` if it is invalid.
  static func read(
    _ path: Control.Path?, _ settings: StoreSettings
  ) throws(ControlError) -> StoreLocation {
    if let location = path?.text.flatMap({ StoreLocation($0, settings) }) { return location }
    let isAddress = path?.text.map { StoreLocation.isAddress($0) } ?? false
    let mistake = path?.text.flatMap { StoreLocation.mistake(in: $0) }
    throw ControlError(
      .invalidArguments,
      isAddress
        ? "\(path?.text ?? "") is not the address of a container"
          + (mistake.map { ": \($0)" } ?? ".")
        : "The container's path isn't valid UTF-8 text.",
      remedy: isAddress
        ? "Write it as s3:https://HOST/BUCKET/PREFIX, as s3://BUCKET/PREFIX for Amazon's, or as "
          + "https://HOST/PATH for one behind a web server, which is only read."
        : "Choose a folder with a plain name.", path: path)
  }
}
