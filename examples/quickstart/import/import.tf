# Takes over a file that somebody wrote by hand. It is found by its identity: the
# path, and the host, which is this machine where it is left out.

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
