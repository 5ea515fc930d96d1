terraform {
  state_store "every_thing" {
    path = "state"

    provider "every" {}
  }
}
