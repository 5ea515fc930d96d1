locals {
  settings = provider::posix::ini_decode(<<-EOT
    ; keys before the first section are in the section ""
    verbose = true

    [server]
    port = 8080
  EOT
  )
}

output "port" {
  value = tonumber(local.settings.server.port)
}

output "verbose" {
  value = local.settings[""].verbose
}
