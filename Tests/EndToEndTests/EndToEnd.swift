import Testing

/// The whole product, as people use it: real programs, folders and containers (issue 2, "How it is
/// tried"). One test at a time: each has two daemons.
@Suite(.serialized) enum EndToEnd {}
