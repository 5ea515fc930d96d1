import {
  to = posix_file_block.hosts
  identity = {
    path = "/etc/hosts" # on the provider's default_host, since host is not set
    name = "our-hosts"
  }
}
