resource "posix_file" "defaults" {
  path = "/etc/app.env"
  content = provider::posix::env_encode({
    LISTEN   = "127.0.0.1:8080"
    GREETING = "it's $5" # GREETING="it's \$5"
    PROXY    = null      # left out
  })
}
