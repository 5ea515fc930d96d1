# An import stores content of up to 1 MiB in the state as content or content_base64. If the
# resource has source instead, the plan shows the whole content as "-> null", because attributes
# that are not configured must be null in a plan. The file itself is not rewritten if it has the
# content of the source.
import {
  to = posix_file.motd
  id = "/etc/motd" # or with a host: "local:/etc/motd"
}
