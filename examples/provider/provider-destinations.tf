provider "posix" {
  default_host = "admin@192.0.2.11" # for resources without host
}

# A host does not have to be configured: host can also be user@address:port, or an
# alias (the name in a Host line) from ~/.ssh/config.
resource "posix_file" "by_default" {
  path    = "/tmp/hello"
  content = "Hello.\n"
}

resource "posix_file" "elsewhere" {
  host    = "root@192.0.2.12:2222"
  path    = "/tmp/hello"
  content = "Hello.\n"
}

resource "posix_file" "here" {
  host    = "local"
  path    = "/tmp/hello"
  content = "Hello.\n"
}
