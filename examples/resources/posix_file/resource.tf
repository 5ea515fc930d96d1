resource "posix_file" "motd" {
  path    = "/etc/motd"
  content = "This machine is managed by a plan; what you change by hand is put back.\n"
}

# A secret: its content is in no plan and no state.
variable "api_token" {
  type      = string
  ephemeral = true
}

resource "posix_file" "token" {
  path               = "/etc/backup/token"
  mode               = "0600"
  content_wo         = var.api_token
  content_wo_version = "2026-01" # change it to write the token again
}

# A mistake locks nobody out: visudo judges the new file before sudo reads it, and
# what was there before is kept beside it.
resource "posix_file" "sudoers" {
  path     = "/etc/sudoers.d/deploy"
  mode     = "0440"
  content  = "deploy ALL=(root) NOPASSWD: /usr/bin/systemctl reload nginx\n"
  validate = ["visudo", "-cf", "%s"]
  backup   = true
}
