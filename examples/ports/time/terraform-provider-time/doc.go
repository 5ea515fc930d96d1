// Command terraform-provider-time is the program of the provider in package timeport.
package main
