import CairnControl
import CairnFolders
import CairnReplica
import CairnZone
import Glibc
import Synchronization

/// The metrics of a daemon, for a person who monitors many: the states of its folders, their
/// traffic since its start, its use of the machine. It uses the same sources as `cairn status`.
struct MetricsPresenter: Sendable {
  let status: @Sendable () throws -> Control.StatusReply
  let mounts: Mounts
  let events: EventLog

  /// Returns everything as text.
  func text() throws -> [UInt8] {
    var metrics = Metrics()
    let status = try status()
    metrics.add(
      "cairn_info", .gauge, "The version of the daemon.",
      [.init(1, [("version", status.daemon.version)])])
    metrics.add(
      "cairn_container_reachable", .gauge, "Whether the container could be used last.",
      status.container.reachable ? 1 : 0)
    metrics.add(
      "cairn_paused", .gauge, "Whether all traffic with the container is paused.",
      status.container.traffic?.paused == nil ? 0 : 1)
    metrics.add(
      "cairn_problems", .gauge, "What is wrong with the daemon or the container as a whole.",
      Double(status.problems.count))
    metrics.add(
      "cairn_events_total", .counter, "What happened since the daemon started, by its kind.",
      events.counts.sorted { $0.key < $1.key }.map { .init($0.value, [("kind", $0.key)]) })
    addFolders(status.mounts, to: &metrics)
    addWork(to: &metrics)
    addProcess(status.daemon, to: &metrics)
    return Array(metrics.text.utf8)
  }

  private typealias Sample = Metrics.Sample

  /// Adds the present states of folders.
  private func addFolders(_ all: [Control.MountStatus], to metrics: inout Metrics) {
    func gauge(_ name: String, _ help: String, _ value: (Control.MountStatus) -> Int64) {
      metrics.add(
        "cairn_folder_" + name, .gauge, help,
        all.map { Sample(value($0), Self.labels($0.path, $0.zone)) })
    }
    gauge("files", "Files and symbolic links in the zone.") { Int64($0.files) }
    gauge("directories", "Directories in the zone.") { Int64($0.directories) }
    gauge("bytes", "Bytes of content in the zone.") { $0.bytes }
    gauge("sequence", "How far the folder shows the zone's log.") { Int64($0.sequence) }
    metrics.add(
      "cairn_folder_pending", .gauge, "Names that wait to be sent or to come.",
      all.flatMap { mount in
        [("send", mount.work.pendingLocal), ("receive", mount.work.pendingRemote)].map {
          Sample($0.1, Self.labels(mount.path, mount.zone) + [("direction", $0.0)])
        }
      })
    gauge("problems", "What is set aside, with a reason.") { Int64($0.problems.count) }
    gauge("conflicts", "Conflict copies in the folder.") { Int64($0.conflicts.count) }
    gauge("rescued", "What lies in the rescue folder.") { Int64($0.rescued.count) }
    gauge("held_deletions", "Deleted files and directories that wait for a word.") {
      Int64($0.held.map { $0.files + $0.directories } ?? 0)
    }
    gauge("unwatched", "Directories that are scanned, since they can't be watched.") {
      Int64($0.watching.unwatched)
    }
    metrics.add(
      "cairn_folder_phase", .gauge, "What the folder is doing: 1 for that, 0 for all else.",
      all.flatMap { mount in
        Control.Phase.allCases.map { phase in
          Sample(
            mount.phase == phase ? 1 : 0,
            Self.labels(mount.path, mount.zone) + [("phase", phase.rawValue)])
        }
      })
  }

  /// Adds the traffic of folders since the daemon started.
  private func addWork(to metrics: inout Metrics) {
    let all = mounts.all.map { mount in
      (
        Self.labels(Control.Path(mount.path), mount.zone.id.description),
        mount.snapshot.withLock(\.progress)
      )
    }
    func counter(_ name: String, _ help: String, _ value: (MountReport.Progress) -> UInt64) {
      metrics.add(
        "cairn_folder_" + name, .counter, help, all.map { Sample(value($0.1), $0.0) })
    }
    counter("sent_total", "Changes that went to the zone.") { UInt64($0.sent) }
    counter("received_total", "Changes that came from the zone.") { UInt64($0.arrived) }
    counter("read_bytes_total", "Bytes of files read for the zone.") { $0.bytesRead }
    counter("written_bytes_total", "Bytes of files written into the folder.") { $0.bytesWritten }
  }

  /// Adds the daemon's use of the machine, with the names that are common to all programs.
  private func addProcess(_ daemon: Control.DaemonStatus, to metrics: inout Metrics) {
    metrics.add(
      "process_start_time_seconds", .gauge, "When the daemon started, in seconds since 1970.",
      Double(daemon.startedAt.nanoseconds / 1_000_000) / 1_000)
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      let seconds = [usage.ru_utime, usage.ru_stime].map {
        Double($0.tv_sec) + Double($0.tv_usec) / 1e6
      }
      metrics.add(
        "process_cpu_seconds_total", .counter, "Processor time, of user and system.",
        seconds.reduce(0, +))
    }
    metrics.add(
      "process_resident_memory_bytes", .gauge, "Memory in use.", Double(Rest.resident))
    if let descriptors = Descriptors.count() {
      metrics.add("process_open_fds", .gauge, "Open descriptors.", Double(descriptors.open))
    }
  }

  private static func labels(_ path: Control.Path, _ zone: String) -> [(String, String)] {
    [("folder", path.printable), ("zone", String(zone.prefix(12)))]
  }
}
