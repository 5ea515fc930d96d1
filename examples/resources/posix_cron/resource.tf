# Dump a database every night. Percent signs do not have to be escaped.
resource "posix_cron" "dump" {
  name     = "nightly-dump"
  schedule = "30 4 * * *"
  user     = "backup"
  command  = "pg_dump app > /srv/backups/app-$(date +%F).sql"

  environment = {
    MAILTO = "ops@example.com"
    PATH   = "/usr/local/bin:/usr/bin:/bin"
  }
}
