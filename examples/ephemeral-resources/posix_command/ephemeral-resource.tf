# A token that is revoked at the end of the run. It is not stored in the plan or the
# state.
ephemeral "posix_command" "token" {
  command = "vault token create -ttl=15m -field=token"
  close   = "VAULT_TOKEN=\"$(cat)\" vault token revoke -self"
  timeout = "30s"
}

# A command that uses the token during the run.
resource "posix_command" "policy" {
  create = "vault policy write backup -"
  update = "vault policy write backup -"
  stdin  = "path \"secret/data/backup\" { capabilities = [\"read\"] }\n"

  environment_wo         = { VAULT_TOKEN = ephemeral.posix_command.token.stdout }
  environment_wo_version = "1" # change it to write the policy again
}
