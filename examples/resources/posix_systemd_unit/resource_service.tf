resource "posix_systemd_unit" "worker" {
  name = "worker.service"
  content = provider::posix::systemd_unit({
    Unit    = { Description = "Works through the queue" }
    Service = { ExecStart = "/usr/bin/sleep infinity", Restart = "always" }
    Install = { WantedBy = "multi-user.target" }
  })
}

# Enabled and started after the unit is created, restarted when it changes, and stopped
# before it is removed.
resource "posix_service" "worker" {
  name    = "worker"
  enabled = true
  running = true
  triggers = {
    unit = posix_systemd_unit.worker.content
  }
}
