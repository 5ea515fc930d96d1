import {
  to = posix_file_block.hosts
  id = "/etc/hosts#our-hosts" # or with a host: "local:/etc/hosts#our-hosts"
}
