output "joined" {
  value = provider::every::join("-", { trim = true, tags = {} }, "a", "b")
}
