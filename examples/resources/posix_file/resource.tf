resource "posix_file" "motd" {
  path    = "/etc/motd"
  content = "This host is managed with Terraform. Manual changes are reverted.\n"
}

# A secret that is not stored in the plan or the state.
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

# visudo checks the new content before it replaces the file, and the replaced content
# is kept as a backup.
resource "posix_file" "sudoers" {
  path    = "/etc/sudoers.d/deploy"
  mode    = "0440"
  content = "deploy ALL=(root) NOPASSWD: /usr/bin/systemctl reload nginx\n"
  write_options = {
    validate = ["visudo", "-cf", "%s"]
    backup   = true
  }
}
