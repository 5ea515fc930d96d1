import {
  to = posix_file_block.machines
  identity = {
    path = "/etc/hosts" # on the provider's default host, as host is left out
    name = "our-machines"
  }
}
