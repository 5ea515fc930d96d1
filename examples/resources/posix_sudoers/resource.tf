# The user deploy may restart and reload one service without a password.
resource "posix_sudoers" "deploy" {
  name    = "50-deploy"
  content = <<-EOT
    Cmnd_Alias RESTART_WEB = /usr/bin/systemctl restart web, /usr/bin/systemctl reload web
    deploy ALL=(root) NOPASSWD: RESTART_WEB
  EOT
}
