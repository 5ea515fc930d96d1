# Copy a secret from a host without storing it in the plan or the state.
ephemeral "posix_file" "ca_key" {
  path = "/etc/app/ca.key"
}

resource "posix_file" "copy" {
  path               = "/etc/backup/ca.key"
  mode               = "0600"
  content_wo         = ephemeral.posix_file.ca_key.content
  content_wo_version = "2026-01" # change it to copy the key again
}
