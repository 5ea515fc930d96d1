# Wait until the host is reachable, the database listens, and cloud-init has finished.
action "posix_wait" "ready" {
  config {
    host    = "db1"
    port    = 5432
    command = "test -e /var/lib/cloud/instance/boot-finished"
    timeout = "15m"
  }
}

# The action runs before this object is created. Let the other objects on the host depend on
# this one. To run the action by hand: terraform apply -invoke=action.posix_wait.ready
resource "posix_directory" "backup" {
  host = "db1"
  path = "/srv/backup"

  lifecycle {
    action_trigger {
      events  = [before_create]
      actions = [action.posix_wait.ready]
    }
  }
}
