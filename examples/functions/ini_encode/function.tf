resource "posix_file" "settings" {
  path = "/etc/settings.ini"
  content = provider::posix::ini_encode({
    "" = { verbose = true } # before the first section
    server = {
      port = 8080
      name = "\"a name with quotes\"" # quotes are part of the value
    }
  })
}
