/// The start of buffers that are never empty, as C wants it.
extension UnsafeMutableBufferPointer {
  /// The address of the first element. The buffer must not be empty.
  public var start: UnsafeMutablePointer<Element> {
    guard let baseAddress else { preconditionFailure("an empty buffer has no start") }
    return baseAddress
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The address of the first byte. The buffer must not be empty.
  public var start: UnsafeMutableRawPointer {
    guard let baseAddress else { preconditionFailure("an empty buffer has no start") }
    return baseAddress
  }
}

extension UnsafeRawBufferPointer {
  /// The start as bytes. An empty buffer returns a pointer that must not be read, with a count of
  /// 0.
  public var bytes: UnsafePointer<UInt8> {
    guard let baseAddress else { return UnsafePointer(bitPattern: 16).unsafelyUnwrapped }
    return baseAddress.assumingMemoryBound(to: UInt8.self)
  }
}
