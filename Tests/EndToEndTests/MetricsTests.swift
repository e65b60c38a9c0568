import CairnControl
import Testing

extension EndToEnd {
  /// A daemon's metrics for a person who monitors many daemons, and the place of its log.
  @Suite struct MetricsTests {
    /// Returns the metrics over the socket, as any program can read them.
    private func metrics(of person: Person) throws -> [String: String] {
      let script = """
        import http.client, socket, sys
        connection = http.client.HTTPConnection("cairnd")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(sys.argv[1])
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        assert answer.getheader("content-type").startswith("text/plain; version=0.0.4")
        sys.stdout.write(answer.read().decode())
        """
      let socket = try Home(environment: ["CAIRN_HOME": person.home.path]).socket
      let outcome = try person.run(program: "/usr/bin/python3", "-c", script, socket)
      try #require(outcome.status == 0, "\(outcome.errors)")
      let lines = outcome.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      return Dictionary(
        uniqueKeysWithValues: lines.compactMap { line in
          line.lastIndex(of: " ").map { (String(line[..<$0]), String(line[$0...].dropFirst())) }
        })
    }

    @Test func `metrics describe folders, events and the process`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write("12345", to: "file")
        try people.settle()
        let zone = try ana.mount().zone.prefix(12)
        let folder = "{folder=\"\(ana.folder.path)\",zone=\"\(zone)\"}"
        let told = try metrics(of: ana)
        #expect(told["cairn_info{version=\"\(Control.version)\"}"] == "1")
        #expect(told["cairn_container_reachable"] == "1" && told["cairn_paused"] == "0")
        #expect(told["cairn_folder_files\(folder)"] == "1")
        #expect(told["cairn_folder_bytes\(folder)"] == "5")
        #expect(told["cairn_folder_read_bytes_total\(folder)"] == "5")
        #expect(told["cairn_folder_phase\(folder.dropLast()),phase=\"idle\"}"] == "1")
        #expect(told["cairn_folder_phase\(folder.dropLast()),phase=\"offline\"}"] == "0")
        #expect(told["cairn_events_total{kind=\"share.accepted\"}"] == "1")
        #expect(told["process_resident_memory_bytes"].flatMap { Int($0) } ?? 0 > 1 << 20)
        #expect(told["process_open_fds"].flatMap { Int($0) } ?? 0 > 3)
        try ana.cairn("pause")
        #expect(try metrics(of: ana)["cairn_paused"] == "1")
        try ana.cairn("resume")
      }
    }

    @Test func `a daemon whose errors go to the journal gives the level of each`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.stopDaemon()
        let daemon = try Program.built("cairnd")
        // Without its home there is nothing to run, and the daemon reports that.
        let script = """
          exec 2>"$HOME/journal"; export CAIRN_HOME=/nowhere
          export JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2); "$0"; echo $?
          export JOURNAL_STREAM=1:1; "$0"; exit 0
          """
        let outcome = try ana.run(program: "/bin/sh", "-c", script, daemon)
        #expect(outcome.text == "\(Control.ErrorCode.notAuthenticated.exitStatus)\n")
        let lines = try ana.scratch.text("journal").split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("<3>cairnd: ") == true)
        #expect(lines.last?.hasPrefix("cairnd: ") == true)
      }
    }
  }
}
