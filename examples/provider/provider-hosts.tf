# The connection settings of the provider are defaults for all hosts. A host can override
# each of them.
provider "posix" {
  user             = "admin"
  private_key_path = "~/.ssh/id_ed25519"
  sudo             = {}

  hosts = {
    web1 = { address = "192.0.2.11" }
    web2 = { address = "192.0.2.12", port = 2222 }
    db   = { address = "192.0.2.20", user = "postgres", sudo = { enabled = false } }
  }
}

# One file on each web server.
resource "posix_file" "motd" {
  for_each = toset(["web1", "web2"])

  host    = each.key
  path    = "/srv/motd"
  content = "This is ${each.key}.\n"
}

# As the user postgres, who can write to this directory.
resource "posix_file" "psqlrc" {
  host    = "db"
  path    = "/var/lib/postgresql/.psqlrc"
  content = "\\timing on\n"
}
