output "time" {
  value = provider::every::now()
}
