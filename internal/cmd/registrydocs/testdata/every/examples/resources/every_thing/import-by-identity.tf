import {
  to = every_thing.this
  identity = {
    name = "one"
  }
}
