locals {
  name = "it's here"
}

resource "posix_command" "directory" {
  create = "mkdir -p /tmp/${provider::posix::shell_quote(local.name)}"
  delete = "rm -rf /tmp/${provider::posix::shell_quote(local.name)}"
}

# Use ... to pass a list of words.
output "line" {
  value = provider::posix::shell_quote(["printf", "%s\n", local.name]...)
}
