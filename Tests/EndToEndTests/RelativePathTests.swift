import APIDescription
import CairnControl
import Testing

extension EndToEnd {
  /// The daemon doesn't know the working folder of its client, so it refuses relative paths.
  @Suite struct RelativePathTests {
    private struct Refusal: Decodable { var error: ControlError }

    /// Sends each line of its input, and writes the last line of each answer.
    private static let script = """
      import http.client, socket, sys
      for line in sys.stdin:
          name, body = line.rstrip("\\n").split(" ", 1)
          connection = http.client.HTTPConnection("cairnd", timeout=20)
          connection.sock = socket.socket(socket.AF_UNIX)
          connection.sock.settimeout(20)
          connection.sock.connect(sys.argv[1])
          connection.request("POST", "/v1/" + name, body.encode())
          print(connection.getresponse().read().decode().splitlines()[-1])
      """

    private func expectRefused(_ answer: some Sequence<UInt8>, _ what: String) throws {
      let error = try #require(
        try? ControlJSON.decode(Refusal.self, from: answer).error,
        "\(what): \(String(decoding: Array(answer), as: UTF8.self))")
      #expect(error.code == .invalidArguments, "\(what): \(error)")
      #expect(error.message.contains("is not an absolute path"), "\(what): \(error)")
      #expect(!error.remedy.isEmpty, "\(what)")
    }

    @Test func `the daemon refuses a relative path in each request that names a file`() throws {
      let api = try OpenAPI()
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.startDaemon()
        let paths = RelativePaths(
          api, valid: ana.scratch.path + "/none", relative: "no-such-folder/p^8")
        let lines = api.requests.flatMap { name, schema in
          paths.requests(of: schema).map { "\(name) \($0)" }
        }
        #expect(lines.count > 70)
        #expect(lines.contains { $0.hasPrefix("publicExport ") })
        try ana.scratch.write(lines.joined(separator: "\n") + "\n", to: "requests")
        let outcome = try ana.run(
          program: "/bin/sh", "-c", "exec python3 -c \"$0\" \"$1\" < \"$HOME/requests\"",
          Self.script, try Home(environment: ["CAIRN_HOME": ana.home.path]).socket)
        let answers = outcome.text.split(separator: "\n")
        try #require(outcome.status == 0 && answers.count == lines.count, "\(outcome.errors)")
        for (line, answer) in zip(lines, answers) { try expectRefused(answer.utf8, line) }
      }
    }

    @Test func `the programs that create a home refuse relative paths, too`() throws {
      let api = try OpenAPI()
      try TwoPeople.play { people in
        let ana = people.ana
        let paths = RelativePaths(
          api, valid: ana.scratch.path + "/none", relative: "no-such-folder/p^8")
        let daemon = try Program.built("cairnd")
        for (name, schema) in api.programs {
          // `join` reads its code before the locations.
          let requests = paths.requests(of: schema)
          for request in requests where name == "setup" || request.contains("\"at\":") {
            try ana.scratch.write(request, to: "request")
            let outcome = try ana.run(
              program: "/bin/sh", "-c",
              "CAIRN_HOME=\"$HOME/new\" exec \"$0\" \"$1\" < \"$HOME/request\"", daemon, name)
            try expectRefused(outcome.output, "\(name) \(request)")
          }
        }
        #expect(!ana.scratch.exists("new"))
      }
    }
  }
}
