import {
  to = posix_file_block.machines
  id = "/etc/hosts#our-machines" # or with the host before the path: "local:/etc/hosts#our-machines"
}
