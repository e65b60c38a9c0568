# zones. Sourced by `run`.
