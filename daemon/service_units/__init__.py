"""Installing memd as a service of systemd: the unit files for this machine, the plan, and its execution."""
