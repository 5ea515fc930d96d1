locals {
  name = "it's here"
}

resource "posix_command" "import" {
  create = "import-records ${provider::posix::shell_quote(local.name)}"
}

# Use ... to pass a list of words.
output "line" {
  value = provider::posix::shell_quote(["printf", "%s\n", local.name]...)
}
