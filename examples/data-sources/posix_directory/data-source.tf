# Everything in /etc, except for hidden objects.
data "posix_directory" "etc" {
  path      = "/etc"
  recursive = true
  pattern   = "[!.]*"
}

output "modes" {
  value = { for entry in data.posix_directory.etc.entries : entry.name => entry.mode if entry.type == "file" }
}
