# On destroy, keep the service through which the host is reached.
resource "posix_service" "ssh" {
  name       = "ssh"
  enabled    = true
  running    = true
  on_destroy = "leave"
}

# A service that does not run and does not start at boot.
resource "posix_service" "cups" {
  name    = "cups"
  enabled = false
  running = false
}
