# Host names in a file that other programs also write to.
resource "posix_file_block" "hosts" {
  path    = "/etc/hosts"
  name    = "our-hosts"
  content = <<-EOT
    192.0.2.10 db
    192.0.2.11 cache
  EOT
}

# A different comment syntax, and a position inside the file.
resource "posix_file_block" "banner" {
  path        = "/srv/site/index.html"
  name        = "banner"
  comment     = "<!--"
  comment_end = "-->"
  position    = "after ^<body>$"
  content     = "<p>This page moves on Sunday.</p>"
}
