resource "every_thing" "this" {
  name = "one"

  list_block {
    port = 1
  }
}
