import CairnControl

/// A group of operations: a small type with the data that they need, which enters them into the
/// routes. To add a command, begin at its operation in `CairnControl`, and answer it here.
protocol Operations: Sendable {
  /// Enters the operations of this group.
  func add(to routes: inout ControlRoutes)
}

extension ControlRoutes {
  /// Answers `Operation` with `body`, whose errors become messages for people.
  mutating func answer<Operation: ControlOperation>(
    _ operation: Operation.Type,
    _ body: @escaping @Sendable (Operation, ResponseStream) throws -> Operation.Reply
  ) {
    on(operation) { request, stream in
      do { return try body(request, stream) } catch { throw Failures.control(error) }
    }
  }

  /// Answers an operation on a share: the error of a refusal names it.
  mutating func answer<Operation: ShareOperation>(
    _ operation: Operation.Type,
    _ body: @escaping @Sendable (Operation, ResponseStream) throws -> Operation.Reply
  ) {
    answer(operation, about: { $0.share }, body)
  }

  /// Answers an operation on a share, or on none.
  mutating func answer<Operation: ControlOperation>(
    _ operation: Operation.Type,
    about share: @escaping @Sendable (Operation) -> Control.ShareReference?,
    _ body: @escaping @Sendable (Operation, ResponseStream) throws -> Operation.Reply
  ) {
    on(operation) { request, stream in
      do { return try body(request, stream) } catch {
        throw Failures.control(error, about: share(request))
      }
    }
  }

  /// Refuses operations that need an account, before they begin.
  mutating func refuseAllButReading() {
    let kept: Set<String> = [
      Control.Ping.name, Control.Stop.name, Control.Status.name, Control.Wait.name,
      Control.Events.name, Control.List.name, Control.Verify.name, Control.UserList.name,
      Control.PublicMount.name, Control.PublicUnmount.name, Control.PublicList.name,
      Control.PublicGet.name, Control.PublicExport.name, Control.Can.name,
      Control.CanModify.name, Control.Stat.name, Control.Remove.name, Control.Log.name,
      Control.Changes.name, Control.History.name, Control.Tree.name, Control.Fetch.name,
      Control.Zones.name, Control.Inspect.name, Control.ReadContent.name,
      Control.Pause.name, Control.Resume.name, Control.ContainerCopy.name,
      Control.StatusWatch.name, Control.ShareAccept.name, Control.ShareOffer.name,
      Control.LogLevel.name, Control.Report.name, Control.Select.name, Control.Get.name,
      Control.Metadata.name,
      Control.Transfers.name, Control.TransferFirst.name, Control.Settings.name,
      Control.ViewFind.name, Control.ViewList.name, Control.ViewOpen.name, Control.ViewRead.name,
    ]
    refuse(
      except: kept,
      with: ControlError(
        .notAuthenticated,
        "This home is anonymous: it reads the public database and what links for anyone lead to, "
          + "and has no account.",
        remedy: "Run `cairn init --container DIR --name NAME --handle HANDLE` with another "
          + "CAIRN_HOME, and use that."))
  }
}
