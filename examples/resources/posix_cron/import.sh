terraform import posix_cron.dump nightly-dump
