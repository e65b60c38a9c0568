# known-issues. Sourced by `run`.
