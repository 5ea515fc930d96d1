# The host was called web before. Its resources are not replaced.
provider "posix" {
  user = "admin"
  sudo = {}

  hosts = {
    web1 = { address = "192.0.2.11", formerly = ["web"] }
  }
}

resource "posix_file" "motd" {
  host    = "web1"
  path    = "/srv/motd"
  content = "This is web1.\n"
}
