// The way in which a device learns of others' changes.

extension Control {
  /// The way in which a device learns of others' changes in the container.
  public struct News: Codable, Hashable, Sendable {
    /// True if the container notifies; otherwise it is polled.
    public var told: Bool
    /// The current maximum delay of a change in seconds, if no change marker is lost.
    public var lateSeconds: Double
    /// The maximum delay after a long time without changes.
    public var longestSeconds: Double
    /// True if the container missed a notification.
    public var deaf: Bool
    /// The state of push messages; nil if they are off.
    public var wakes: Control.Wakes?

    /// Creates a value with these properties.
    public init(
      told: Bool, lateSeconds: Double, longestSeconds: Double, deaf: Bool,
      wakes: Control.Wakes? = nil
    ) {
      self.wakes = wakes
      self.told = told
      self.lateSeconds = lateSeconds
      self.longestSeconds = longestSeconds
      self.deaf = deaf
    }
  }

  /// Push messages: datagrams in which devices tell each other that they wrote.
  public struct Wakes: Codable, Hashable, Sendable {
    /// This device's addresses with ports, as others know them.
    public var addresses: [String]
    /// The number of other devices that listen.
    public var devices: Int
    /// The number of received messages for this device since the daemon started.
    public var heard: Int
    /// The number of sent messages, one for each address of each device.
    public var sent: Int

    /// Creates a value with these properties.
    public init(addresses: [String] = [], devices: Int = 0, heard: Int = 0, sent: Int = 0) {
      self.addresses = addresses
      self.devices = devices
      self.heard = heard
      self.sent = sent
    }
  }
}
