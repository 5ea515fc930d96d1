# Wait until the host is reachable, the database listens, and cloud-init has finished.
action "posix_wait" "ready" {
  config {
    host    = "db1"
    port    = 5432
    command = "test -e /var/lib/cloud/instance/boot-finished"
    timeout = "15m"
  }
}
