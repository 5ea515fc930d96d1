locals {
  release = provider::posix::env_decode(<<-EOT
    # like /etc/os-release
    ID=debian
    PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
  EOT
  )
}

output "name" {
  value = local.release.PRETTY_NAME
}
