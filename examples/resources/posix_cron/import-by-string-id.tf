import {
  to = posix_cron.dump
  id = "nightly-dump" # or with the host before the name: "local:nightly-dump"
}
