# Names of our machines, in a file that the system has and others write to.
resource "posix_file_block" "machines" {
  path    = "/etc/hosts"
  name    = "our-machines"
  content = <<-EOT
    192.0.2.10 db
    192.0.2.11 cache
  EOT
}

# A file with comments of another kind, and a place of its own for the block.
resource "posix_file_block" "banner" {
  path        = "/srv/site/index.html"
  name        = "banner"
  comment     = "<!--"
  comment_end = "-->"
  position    = "after ^<body>$"
  content     = "<p>This page moves on Sunday.</p>"
}
