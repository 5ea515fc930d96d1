import {
  to = posix_cron.dump
  identity = {
    name = "nightly-dump" # on the provider's default_host, since host is not set
  }
}
