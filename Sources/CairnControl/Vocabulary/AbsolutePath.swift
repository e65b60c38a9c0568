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
    ControlError(
      .invalidArguments,
      (bytes.isEmpty ? "The empty path" : description) + " is not an absolute path.",
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
