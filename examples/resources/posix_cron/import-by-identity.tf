import {
  to = posix_cron.dump
  identity = {
    name = "nightly-dump" # on the provider's default host, as host is left out
  }
}
