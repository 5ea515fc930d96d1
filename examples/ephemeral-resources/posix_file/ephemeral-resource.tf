# A credential that is on a host already: it goes from there to where it is needed,
# and is stored in neither plan nor state.
ephemeral "posix_file" "ca_key" {
  path = "/etc/app/ca.key"
}

resource "posix_file" "copy" {
  path               = "/etc/backup/ca.key"
  mode               = "0600"
  content_wo         = ephemeral.posix_file.ca_key.content
  content_wo_version = "2026-01" # change it to copy the key again
}
