// Tests of Daemon.
