locals {
  name = "it's here"
}

resource "posix_command" "folder" {
  create = "mkdir -p /tmp/${provider::posix::shell_quote(local.name)}"
  delete = "rm -rf /tmp/${provider::posix::shell_quote(local.name)}"
}

# A list of words is given with three dots.
output "line" {
  value = provider::posix::shell_quote(["printf", "%s\n", local.name]...) # each is a word, whatever is in it
}
