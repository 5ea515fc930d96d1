# Imports a file that was written by hand, by its identity: the path, and the host, which
# defaults to the provider's default host.

import {
  to = posix_file.notes
  identity = {
    path = "${var.root}/notes.txt"
  }
}

resource "posix_file" "notes" {
  path    = "${var.root}/notes.txt"
  content = "written by hand, long ago\n"
}
