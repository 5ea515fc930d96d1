import {
  to = posix_hostname.this
  identity = {
    host = "local"
  }
}
