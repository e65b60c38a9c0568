// How a device hears of what others write.

extension Control {
  /// How a device hears of what others write into the container.
  public struct News: Codable, Hashable, Sendable {
    /// Whether the container tells; if not, it is asked.
    public var told: Bool
    /// How long after a change it may be heard of by now, in seconds, if no bell is lost.
    public var lateSeconds: Double
    /// The same when nobody has written for long.
    public var longestSeconds: Double
    /// Whether the container seemed to tell, and turned out not to.
    public var deaf: Bool
    /// How wake-ups stand; nil if they are off.
    public var wakes: Control.Wakes?

    /// Joins the parts.
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

  /// Datagrams by which devices tell each other that they have written.
  public struct Wakes: Codable, Hashable, Sendable {
    /// Where this device listens, as others were told: addresses with ports.
    public var addresses: [String]
    /// How many other devices are known to listen.
    public var devices: Int
    /// How many came since the daemon started that were meant for this device.
    public var heard: Int
    /// How many went, one for each address of each device.
    public var sent: Int

    /// Joins the parts.
    public init(addresses: [String] = [], devices: Int = 0, heard: Int = 0, sent: Int = 0) {
      self.addresses = addresses
      self.devices = devices
      self.heard = heard
      self.sent = sent
    }
  }
}
