# A token that lasts as long as the run: when nothing needs it any more, it is
# withdrawn. Neither the plan nor the state has it.
ephemeral "posix_command" "token" {
  command = "vault token create -ttl=15m -field=token"
  close   = "vault token revoke \"$(cat)\""
  timeout = "30s"
}

resource "posix_file" "token" {
  path               = "/etc/backup/token"
  mode               = "0600"
  content_wo         = ephemeral.posix_command.token.stdout
  content_wo_version = "2026-01"
}
