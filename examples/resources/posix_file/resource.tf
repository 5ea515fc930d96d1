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

# nginx checks the new content before the file is replaced, and the replaced content is
# kept as a backup.
resource "posix_file" "nginx" {
  path    = "/etc/nginx/nginx.conf"
  content = "events {}\nhttp {\n  server { root /srv/site; }\n}\n"
  write_options = {
    overwrite = true # the package nginx installs this file
    validate  = ["nginx", "-t", "-q", "-c", "%s"]
    backup    = true
  }
}
