resource "every_plain" "this" {}
