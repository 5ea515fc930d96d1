# Until the machine lets us in, the database listens, and all that it does at its first start is done.
action "posix_wait" "ready" {
  config {
    host    = "db1"
    port    = 5432
    command = "test -e /var/lib/cloud/instance/boot-finished"
    timeout = "15m"
  }
}
