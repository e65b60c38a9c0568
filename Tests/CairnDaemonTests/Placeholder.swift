enum PlaceholderCairnDaemonTests {}
