# What the machine is reached through stays when the resource is destroyed.
resource "posix_service" "ssh" {
  name       = "ssh"
  enabled    = true
  running    = true
  on_destroy = "leave"
}

# Neither runs nor is started by the next boot.
resource "posix_service" "cups" {
  name    = "cups"
  enabled = false
  running = false
}
