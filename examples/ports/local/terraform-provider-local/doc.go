// Command terraform-provider-local is the program of the provider in package localport.
package main
