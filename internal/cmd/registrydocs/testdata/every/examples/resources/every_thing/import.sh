terraform import every_thing.this one
