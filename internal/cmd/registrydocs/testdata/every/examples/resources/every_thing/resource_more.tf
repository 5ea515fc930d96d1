resource "every_thing" "more" {
  name = "more"

  list_block {
    port = 2
  }
}
