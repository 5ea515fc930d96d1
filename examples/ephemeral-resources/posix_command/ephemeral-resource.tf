# A token for the current run, revoked when it is no longer needed. It is not stored
# in the plan or the state.
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
