package statefile_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/states/statefile"
)

// instanceWith returns a file with one object that has the fields.
func instanceWith(fields string) string {
	return resourceWith(`"provider":"provider[\"h.x/a/t\"]","instances":[{` + fields + `}]`)
}

func resourceWith(fields string) string {
	return `{"version":4,"resources":[{"mode":"managed","type":"t","name":"n",` + fields + `}]}`
}

// TestReadErrors checks the path and the problem of each error, and that no error contains "hush", which
// is in many of the files.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	const secret = "hush"
	for _, tt := range []struct{ src, path, want string }{
		{"{", "", "at line 1, column 1"},
		{"{\"version\":4,\n  \"serial\": hush}", "", "at line 2, column 13"},
		{"\x00", "", "the file is not valid JSON at line 1"},
		{`"hush"`, "", "an object is required"},
		{`null`, "", "an object is required"},
		{`{}`, "", "the file has no version"},
		{`{"encrypted_data":"hush"}`, "", "the state is encrypted"},
		{`{"version":"4"}`, "version", "a whole number"},
		{`{"version":4.5}`, "version", "a whole number"},
		{`{"version":-1}`, "version", "a whole number"},
		{`{"version":null}`, "version", "a whole number"},
		{`{"version":3}`, "version", "older than Terraform 0.12"},
		{`{"version":5}`, "version", "newer than the supported version 4"},
		{`{"version":10}`, "version", "newer than the supported version 4"},
		{`{"version":4,"serial":-1}`, "serial", "not negative"},
		{`{"version":4,"lineage":{}}`, "lineage", "a string"},
		{`{"version":4,"terraform_version":"hush"}`, "terraform_version", "not a program version"},
		{`{"version":4,"outputs":["hush"]}`, "outputs", "an object"},
		{`{"version":4,"outputs":{"o":"hush"}}`, "outputs.o", "an object"},
		{`{"version":4,"outputs":{"o":{"value":"hush","type":"hush"}}}`, "outputs.o.type", "the type of a value"},
		{`{"version":4,"outputs":{"o":{"value":"hush"}}}`, "outputs.o.type", "the type of a value"},
		{`{"version":4,"outputs":{"o":{"type":"string"}}}`, "outputs.o.value", "a value is required"},
		{`{"version":4,"outputs":{"o":{"value":{"a":"hush"},"type":["object",{"a":"bool"}]}}}`, "outputs.o.value", "a: a bool is required"},
		{`{"version":4,"outputs":{"o":{"value":1,"type":"number","sensitive":"hush"}}}`, "outputs.o.sensitive", "true or false"},
		{`{"version":4,"resources":{}}`, "resources", "a list"},
		{`{"version":4,"resources":[1]}`, "resources[0]", "an object"},
		{`{"version":4,"resources":[{"mode":"ephemeral","type":"t","name":"n"}]}`, "resources[0].mode", `"managed" or "data"`},
		{`{"version":4,"resources":[{"mode":"data","type":"t","name":"n.x"}]}`, "resources[0]", "the type or the name"},
		{resourceWith(`"module":"m"`), "resources[0].module", `"m" is not the address of a module`},
		{resourceWith(`"provider":"provider.t.u.v"`), "resources[0].provider", "the provider's address is expected"},
		{resourceWith(`"provider":"provider[0]"`), "resources[0].provider", "the provider's address is expected"},
		{resourceWith(`"instances":[]`), "resources[0].provider", "is required"},
		{resourceWith(`"instances":{}`), "resources[0].instances", "a list"},
		{resourceWith(`"instances":[{}]`), "resources[0].instances[0].provider", "at character 1"},
		{
			resourceWith(`"instances":[{"provider":"provider[\"h.x/a/t\"][0]","index_key":0},{"provider":"provider[\"h.x/a/u\"][0]"}]`),
			"resources[0].instances[1].provider", "the same provider configuration",
		},
		{instanceWith(`"index_key":1.5`), "resources[0].instances[0].index_key", "a string or a whole number"},
		{instanceWith(`"index_key":-1`), "resources[0].instances[0].index_key", "a string or a whole number"},
		{instanceWith(`"index_key":true`), "resources[0].instances[0].index_key", "a string or a whole number"},
		{instanceWith(`"status":"hush"`), "resources[0].instances[0].status", `"tainted"`},
		{instanceWith(`"deposed":"hush"`), "resources[0].instances[0].deposed", "8 characters"},
		{instanceWith(`"schema_version":"hush"`), "resources[0].instances[0].schema_version", "a whole number"},
		{instanceWith(`"attributes":["hush"]`), "resources[0].instances[0].attributes", "an object"},
		{instanceWith(`"attributes":{},"attributes_flat":{}`), "resources[0].instances[0].attributes_flat", "both attributes and attributes_flat"},
		{instanceWith(`"attributes_flat":{"a":1}`), "resources[0].instances[0].attributes_flat", "an object of strings"},
		{instanceWith(`"identity":"hush"`), "resources[0].instances[0].identity", "an object"},
		{instanceWith(`"private":"hush!"`), "resources[0].instances[0].private", "base64"},
		{instanceWith(`"create_before_destroy":1`), "resources[0].instances[0].create_before_destroy", "true or false"},
		{instanceWith(`"dependencies":[1]`), "resources[0].instances[0].dependencies", "a list of strings"},
		{instanceWith(`"dependencies":["a.b","a"]`), "resources[0].instances[0].dependencies[1]", `"a" is not the address`},
		{instanceWith(`"sensitive_attributes":{}`), "resources[0].instances[0].sensitive_attributes", "a list"},
		{instanceWith(`"sensitive_attributes":[["hush"]]`), "resources[0].instances[0].sensitive_attributes[0]", "a list of steps"},
		{instanceWith(`"sensitive_attributes":[[{"type":"get_attr","value":1}]]`), "resources[0].instances[0].sensitive_attributes[0][0].value", "the name of an attribute"},
		{instanceWith(`"sensitive_attributes":[[],[{"type":"index","value":"hush"}]]`), "resources[0].instances[0].sensitive_attributes[1][0].value", "a key"},
		{instanceWith(`"sensitive_attributes":[[{"type":"splat"}]]`), "resources[0].instances[0].sensitive_attributes[0][0].type", `"get_attr" or "index"`},
		{instanceWith(`},{`), "resources[0].instances[1]", "t.n is in the file twice"},
		{instanceWith(`"deposed":"01234567"},{"deposed":"01234567"`), "resources[0].instances[1]", "t.n is in the file twice"},
	} {
		_, err := statefile.Read(strings.NewReader(tt.src))
		var fileErr *statefile.Error
		switch {
		case !errors.As(err, &fileErr):
			t.Errorf("%s: got error %v, want an *Error", tt.src, err)
		case fileErr.Path != tt.path || !strings.Contains(fileErr.Problem, tt.want):
			t.Errorf("%s:\ngot  %q: %s\nwant %q: %s", tt.src, fileErr.Path, fileErr.Problem, tt.path, tt.want)
		case strings.Contains(err.Error(), secret):
			t.Errorf("%s: the error contains a value of the file: %v", tt.src, err)
		}
	}
	if _, err := statefile.Read(strings.NewReader("")); !errors.Is(err, statefile.ErrNoState) {
		t.Errorf("an empty file: got error %v, want ErrNoState", err)
	}
}

// TestUnknownFieldsAreKept checks that unknown fields are preserved, and that white space in the
// file makes no difference.
func TestUnknownFieldsAreKept(t *testing.T) {
	t.Parallel()
	const src = `{
  "version": 4,
  "terraform_version": "9.9.9",
  "serial": 3,
  "lineage": "l",
  "outputs": {
    "o": {
      "value": 1,
      "type": "number",
      "unknown1": {
        "a": null
      }
    }
  },
  "resources": [
    {
      "mode": "managed",
      "type": "t",
      "name": "n",
      "provider": "provider[\"h.x/a/t\"]",
      "instances": [
        {
          "schema_version": 0,
          "attributes": {
            "large": 12345678901234567890.5
          },
          "sensitive_attributes": [],
          "unknown2": [
            1
          ]
        }
      ],
      "unknown3": "x"
    }
  ],
  "check_results": null,
  "unknown4": true
}
`
	f, err := statefile.Read(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, f); got != src {
		t.Errorf("got\n%swant\n%s", got, src)
	}
	dense, err := statefile.Read(strings.NewReader(strings.NewReplacer("\n", "", " ", "").Replace(src)))
	if err != nil || !dense.State.Equal(f.State) {
		t.Errorf("white space changes the state: %v", err)
	}
}

// FuzzRead checks that a file that can be read can be written, and is then read and
// written unchanged.
func FuzzRead(f *testing.F) {
	for seed := range uint64(10) {
		var out bytes.Buffer
		if err := statefile.Write(randomFile(rand.New(rand.NewPCG(seed, 1))), &out); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Add([]byte(instanceWith(`"index_key":0,"provider":"x","attributes_flat":{}`)))
	f.Add([]byte(resourceWith(`"instances":[{"provider":"provider[\"h.x/a/t\"].b[\"k\"]","deposed":"01234567"}]`)))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := statefile.Read(bytes.NewReader(src))
		if err != nil {
			return
		}
		first := text(t, file)
		again, err := statefile.Read(strings.NewReader(first))
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		if second := text(t, again); second != first {
			t.Errorf("the second write differs, first:\n%ssecond:\n%s", first, second)
		}
	})
}

// TestReadLegacyProvider checks that provider addresses of Terraform 0.12 in files of
// version 4 are read, and written in the current form.
func TestReadLegacyProvider(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"provider.t":                     `provider["registry.terraform.io/-/t"]`,
		"provider.t.west":                `provider["registry.terraform.io/-/t"].west`,
		"module.m.provider.t":            `module.m.provider["registry.terraform.io/-/t"]`,
		"module.m.module.n.provider.t.a": `module.m.module.n.provider["registry.terraform.io/-/t"].a`,
	} {
		file, err := statefile.Read(strings.NewReader(resourceWith(`"provider":"` + text + `","instances":[{"schema_version":0,"attributes":{}}]`)))
		if err != nil {
			t.Errorf("%s: %s", text, err)
			continue
		}
		var got []string
		for _, config := range file.State.ProviderAddrs() {
			got = append(got, config.String())
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		var written bytes.Buffer
		if err := statefile.Write(file, &written); err != nil || !strings.Contains(written.String(), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: got error %v, want %s in the written file:\n%s", text, err, want, written.String())
		}
		if _, err := statefile.Read(&written); err != nil {
			t.Errorf("%s: the written file cannot be read: %s", text, err)
		}
	}
}
