import {
  to = every_thing.this
  id = "one"
}
