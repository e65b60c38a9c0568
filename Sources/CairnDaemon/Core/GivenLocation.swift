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
    guard let path else {
      throw ControlError(
        .invalidArguments, "The request names no container.",
        remedy: "Name its directory or its bucket.")
    }
    guard let text = path.text else {
      throw ControlError(
        .invalidArguments, "The container's path isn't valid UTF-8 text.",
        remedy: "Choose a folder with a plain name.", path: path)
    }
    if let location = StoreLocation(text, settings) { return location }
    guard StoreLocation.isAddress(text) else { throw path.notAbsolute }
    throw ControlError(
      .invalidArguments,
      "\(text) is not the address of a container"
        + (StoreLocation.mistake(in: text).map { ": \($0)" } ?? "."),
      remedy: "Write it as s3:https://HOST/BUCKET/PREFIX, as s3://BUCKET/PREFIX for Amazon's, or "
        + "as https://HOST/PATH for one behind a web server, which is only read.", path: path)
  }
}
