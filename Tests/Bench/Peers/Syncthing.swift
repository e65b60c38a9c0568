import Glibc

/// Two Syncthings on the loopback interface, which know and ask nobody else.
enum Syncthing {
  /// One of the two Syncthings.
  private struct Side {
    var home: String
    var folder: String
    var device: String
    var port: Int
    var control: Int
  }

  static func play(_ play: PeerCases.Play) throws -> PeerCases.Findings {
    let folders = [play.source, play.target]
    let sides = try zip(["a", "b"], folders).map { name, folder in
      let home = "\(play.place)/\(name)"
      _ = try play.run(["syncthing", "generate", "--home=\(home)", "--no-default-folder"])
      let answer = "\(home)/device"
      try Child(
        ["syncthing", "--home=\(home)", "--device-id"], environment: play.environment,
        output: answer
      ).end("syncthing --device-id")
      let device = text(of: answer).split(separator: "\n").first.map(String.init) ?? ""
      mkdir(folder, 0o755)
      // Syncthing's own marker of a folder that exists.
      mkdir("\(folder)/.stfolder", 0o755)
      return Side(
        home: home, folder: folder, device: device, port: try freePort(), control: try freePort())
    }
    for side in sides { try write(configuration(of: side, sides), to: "\(side.home)/config.xml") }
    let began = now()
    let daemons = try sides.map { side in
      try Child(
        ["syncthing", "serve", "--home=\(side.home)", "--no-browser", "--no-restart"],
        environment: play.environment)
    }
    defer { for daemon in daemons { _ = daemon.stop() } }
    try PeerCases.wait(for: play.source, at: play.target)
    try syncFileSystem(play.place)
    let seconds = now() - began
    let processor = daemons.map { ProcessFigures(of: $0.process).processor }.reduce(0, +)
    let drops = try play.drops()
    try PeerCases.checkSame(play.source, play.target, except: [".stfolder", ".syncthing.*"])
    return PeerCases.Findings(mirror: seconds, processor: processor, drops: drops)
  }

  private static func configuration(of side: Side, _ sides: [Side]) -> [UInt8] {
    let devices = sides.map { other in
      """
      <device id="\(other.device)" name="\(other.port)" compression="metadata">
        <address>tcp://127.0.0.1:\(other.port)</address>
      </device>
      """
    }
    let members = sides.map { "<device id=\"\($0.device)\"></device>" }
    // Syncthing gathers changes for at least a second.
    let text = """
      <configuration version="36">
        <folder id="bench" label="bench" path="\(side.folder)" type="sendreceive"
            rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="1">
          \(members.joined())
          <minDiskFree unit="%">0</minDiskFree>
        </folder>
        \(devices.joined())
        <gui enabled="true" tls="false">
          <address>127.0.0.1:\(side.control)</address><apikey>bench</apikey>
        </gui>
        <options>
          <listenAddress>tcp://127.0.0.1:\(side.port)</listenAddress>
          <globalAnnounceEnabled>false</globalAnnounceEnabled>
          <localAnnounceEnabled>false</localAnnounceEnabled>
          <relaysEnabled>false</relaysEnabled>
          <natEnabled>false</natEnabled>
          <urAccepted>-1</urAccepted>
          <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
          <startBrowser>false</startBrowser>
          <crashReportingEnabled>false</crashReportingEnabled>
          <reconnectionIntervalS>1</reconnectionIntervalS>
        </options>
      </configuration>
      """
    return Array(text.utf8)
  }

  /// Returns an unused port of the loopback interface.
  private static func freePort() throws -> Int {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 ? getsockname(socket, $0, &size) : -1
      }
    }
    guard result == 0 else { throw Child.Trouble(description: "there is no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
