import {
  to = posix_hostname.this
  id = "local" # the host
}
