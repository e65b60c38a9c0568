extension Control.Path {
  /// A Boolean value that indicates whether the path begins with a slash.
  public var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// Returns the path. Throws `invalidArguments` if it is relative: the daemon doesn't know the
  /// working folder of its client.
  public func requiringAbsolute() throws(ControlError) -> Control.Path {
    guard isAbsolute else { throw notAbsolute }
    return self
  }

  /// The refusal of a relative path.
  public var notAbsolute: ControlError {
    // No path of the system is longer than 4,096 bytes, and nobody reads a longer message.
    let name =
      bytes.isEmpty
      ? "The empty path" : bytes.count > 4096 ? "A path of \(bytes.count) bytes" : description
    return ControlError(
      .invalidArguments, name + " is not an absolute path.",
      remedy: "Write the path from the root folder on, with a slash at its beginning.")
  }
}

extension [Control.Path] {
  /// Returns the paths. Throws `invalidArguments` for the first relative one.
  public func requiringAbsolute() throws(ControlError) -> [Control.Path] {
    for path in self { _ = try path.requiringAbsolute() }
    return self
  }
}
