# A dump of the database every night. What a percent sign means to cron is no concern.
resource "posix_cron" "dump" {
  name     = "nightly-dump"
  schedule = "30 4 * * *"
  user     = "backup"
  command  = "pg_dump app > /var/backups/app-$(date +%F).sql"

  environment = {
    MAILTO = "ops@example.com"
    PATH   = "/usr/local/bin:/usr/bin:/bin"
  }
}
