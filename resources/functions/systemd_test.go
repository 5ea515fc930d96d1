package functions_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/resources/functions"
)

type object = map[string]cty.Value

func list(texts ...string) cty.Value {
	var elements []cty.Value
	for _, text := range texts {
		elements = append(elements, str(text))
	}
	return cty.TupleVal(elements)
}

func TestSystemdUnit(t *testing.T) {
	t.Parallel()
	o := cty.ObjectVal
	for name, tt := range map[string]struct {
		sections cty.Value
		want     string
	}{
		"empty": {cty.EmptyObjectVal, ""},
		"sections in order": {
			o(object{"Install": o(object{"WantedBy": str("multi-user.target")}), "Timer": cty.EmptyObjectVal, "Service": o(object{"User": str("x")}), "Unit": o(object{"Description": str("d")})}),
			"[Unit]\nDescription=d\n\n[Service]\nUser=x\n\n[Timer]\n\n[Install]\nWantedBy=multi-user.target\n",
		},
		"types of values": {
			o(object{"Service": o(object{"B": cty.True, "A": cty.NumberFloatVal(1.5), "C": cty.NumberIntVal(1 << 40), "D": str(""), "E": cty.NullVal(anything)})}),
			"[Service]\nA=1.5\nB=true\nC=1099511627776\nD=\n",
		},
		"repeated setting": {
			o(object{"Service": o(object{"ExecStart": list("", "/bin/a", "/bin/b"), "After": cty.EmptyTupleVal})}),
			"[Service]\nExecStart=\nExecStart=/bin/a\nExecStart=/bin/b\n",
		},
		"mixed types in a list": {o(object{"S": o(object{"A": cty.TupleVal([]cty.Value{str("a"), cty.NumberIntVal(1), cty.False})})}), "[S]\nA=a\nA=1\nA=false\n"},
		"repeated section": {
			o(object{"Address": cty.TupleVal([]cty.Value{o(object{"Address": str("192.0.2.2/24")}), o(object{"Address": str("192.0.2.1/24")})}), "Match": o(object{"Name": str("eth0")})}),
			"[Address]\nAddress=192.0.2.2/24\n\n[Address]\nAddress=192.0.2.1/24\n\n[Match]\nName=eth0\n",
		},
		"maps":         {cty.MapVal(object{"Service": cty.MapVal(object{"User": cty.SetVal([]cty.Value{str("b"), str("a")})})}), "[Service]\nUser=a\nUser=b\n"},
		"null section": {o(object{"Unit": cty.NullVal(anything)}), ""},
		"verbatim":     {o(object{"S": o(object{"A": str(`"a" 'b' \x20 %% $$ ; # = [x]`), "X-Odd_1.a": str("é\tx")})}), "[S]\nA=\"a\" 'b' \\x20 %% $$ ; # = [x]\nX-Odd_1.a=é\tx\n"},
	} {
		if got, err := functions.SystemdUnit(tt.sections); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
}

func TestSystemdUnitErrors(t *testing.T) {
	t.Parallel()
	o := cty.ObjectVal
	for name, tt := range map[string]struct {
		sections cty.Value
		says     string
	}{
		"not an object":             {str("hush"), "a unit must be an object of sections"},
		"null":                      {cty.NullVal(cty.EmptyObject), "a unit must be an object of sections"},
		"section not an object":     {o(object{"Unit": str("hush")}), "the section Unit must be an object"},
		"list of non-objects":       {o(object{"Unit": list("hush")}), "the section Unit must be an object"},
		"invalid section name":      {o(object{"a b": cty.EmptyObjectVal}), `the section "a b": a name must consist of ASCII letters`},
		"bracket in section name":   {o(object{"Unit]": cty.EmptyObjectVal}), `the section "Unit]": a name must consist of ASCII letters`},
		"invalid setting name":      {unitOf("A=B", str("hush")), `the section Unit: the setting "A=B": a name must consist of ASCII letters`},
		"comment as setting name":   {unitOf("#A", str("hush")), `the setting "#A": a name must consist of ASCII letters`},
		"empty setting name":        {unitOf("", str("hush")), `the setting "": a name must consist of ASCII letters`},
		"line break":                {unitOf("A", str("hush\nB=hush")), "the section Unit: the setting A, value 1: a value must not contain line breaks"},
		"carriage return in a list": {unitOf("A", list("a", "hush\r")), "the setting A, value 2: a value must not contain line breaks"},
		"backslash at the end":      {unitOf("A", str(`hush\`)), "the setting A, value 1: a value must not end with a backslash"},
		"trailing blank":            {unitOf("A", str("hush ")), "a value must not begin or end with a blank"},
		"leading blank":             {unitOf("A", str("\thush")), "a value must not begin or end with a blank"},
		"NUL":                       {unitOf("A", str("hush\x00x")), "a value must not contain control characters"},
		"object as value":           {unitOf("A", o(object{"hush": str("hush")})), "a value must be a string, a number or a boolean"},
		"nested list":               {unitOf("A", cty.TupleVal([]cty.Value{list("hush")})), "a value must be a string, a number or a boolean"},
	} {
		_, err := functions.SystemdUnit(tt.sections)
		wantError(t, name, err, 0, tt.says)
		wantNoSecret(t, err)
	}
}

// TestSystemdReadsUnits checks with systemd-analyze that a valid unit causes no
// message. The test is skipped if an invalid setting causes no message either.
func TestSystemdReadsUnits(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	verify := func(extra object) string {
		service := object{
			"ExecStart": list("", `/bin/echo "a b" 'c' \x41 %% $$ ; # x`), "ExecStartPre": list("/bin/true", "-/bin/false"),
			"Environment": list("A=1", `"B=x y"`), "RestartSec": cty.NumberFloatVal(1.5), "Restart": str("on-failure"), "Type": str("oneshot"), "PrivateTmp": cty.True,
		}
		maps.Copy(service, extra)
		text, err := functions.SystemdUnit(cty.ObjectVal(object{
			"Unit": cty.ObjectVal(object{"Description": str("é ; # \"x\""), "After": list("a.service", "b.service")}), "Service": cty.ObjectVal(service),
			"Install": cty.ObjectVal(object{"WantedBy": str("multi-user.target")}),
		}))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "posix-test.service")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", path).CombinedOutput()
		var about []string
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "posix-test") { // other units of this host may have messages
				about = append(about, line)
			}
		}
		return strings.Join(about, "")
	}
	if output := verify(object{"RestartSec": str("soon")}); !strings.Contains(output, "soon") {
		t.Skipf("systemd-analyze reports no error for an invalid setting: %q", output)
	}
	if output := verify(nil); output != "" {
		t.Errorf("systemd-analyze reports: %s; want no message", output)
	}
}
