provider "posix" {
  default_host = "admin@192.0.2.11" # of what names no host
}

# Hosts need no configuration: user@address:port will do, and so does an alias of
# the SSH configuration (the name in a Host line of ~/.ssh/config).
resource "posix_file" "by_default" {
  path    = "/srv/hello"
  content = "Hello.\n"
}

resource "posix_file" "elsewhere" {
  host    = "root@192.0.2.12:2222"
  path    = "/srv/hello"
  content = "Hello.\n"
}

resource "posix_file" "here" {
  host    = "local"
  path    = "/srv/hello"
  content = "Hello.\n"
}
