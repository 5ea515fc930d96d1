import {
  to = posix_cron.dump
  id = "nightly-dump" # or with a host: "local:nightly-dump"
}
