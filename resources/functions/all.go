package functions

import "github.com/posixform/terraform-provider-posix/runtime"

// All returns the functions by name.
func All() map[string]runtime.FunctionRegistration {
	return map[string]runtime.FunctionRegistration{
		"env_decode":   runtime.MakeFunc(EnvDecode, envDecodeSpec),
		"env_encode":   runtime.MakeFunc(EnvEncode, envEncodeSpec),
		"hosts_file":   runtime.MakeFunc(HostsFile, hostsFileSpec),
		"ini_decode":   runtime.MakeFunc(INIDecode, iniDecodeSpec),
		"ini_encode":   runtime.MakeFunc(INIEncode, iniEncodeSpec),
		"mode":         runtime.MakeFunc(Mode, modeSpec),
		"shell_quote":  runtime.MakeFunc(ShellQuote, shellQuoteSpec),
		"systemd_unit": runtime.MakeFunc(SystemdUnit, systemdUnitSpec),
	}
}
