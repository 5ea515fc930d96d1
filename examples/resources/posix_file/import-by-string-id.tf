# An import reads the content of up to 1 MiB into the state as content or content_base64: it cannot
# see whether the configuration has source instead, and attributes that are not configured must be
# null in a plan. The plan of an import into a resource with source therefore shows the whole content
# as "-> null"; the file itself is not rewritten if it has the content of the source.
import {
  to = posix_file.motd
  id = "/etc/motd" # or with a host: "local:/etc/motd"
}
