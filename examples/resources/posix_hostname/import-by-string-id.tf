import {
  to = posix_hostname.this
  id = "local" # the host, as there is one name on each
}
