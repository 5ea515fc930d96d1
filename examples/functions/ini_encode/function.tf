resource "posix_file" "settings" {
  path = "/etc/settings.ini"
  content = provider::posix::ini_encode({
    "" = { verbose = true } # before all sections
    server = {
      port = 8080
      name = "\"a name with quotes\"" # quotes are a part of the value
    }
  })
}
