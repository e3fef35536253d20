package model

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fill gives every field of v a value of its own that is not zero.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Interface().(type) {
	case Opt:
		v.Set(reflect.ValueOf(Some(*n - 3))) // 0 and negative ones among them
		return
	case Text:
		v.Set(reflect.ValueOf(Text(fmt.Sprintf("text %d <&> “ü” \t", *n))))
		return
	case map[string]json.RawMessage:
		v.Set(reflect.ValueOf(map[string]json.RawMessage{"own": json.RawMessage(fmt.Sprintf(`{"a":[%d,null]}`, *n)), "b": json.RawMessage(`""`)}))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("word %d", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(*n)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.ValueOf([]string{"first", "second"}))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"frame": "4096", "agg": "off"}))
	default:
		panic("no value for a field of type " + v.Type().String())
	}
}

func TestEventsOfEveryKindGoToJSONAndBack(t *testing.T) {
	for kind, make := range bodies {
		t.Run(kind, func(t *testing.T) {
			for name, e := range map[string]Event{
				"empty":  {HostUS: 1, Body: make()},
				"filled": {HostUS: 1_790_000_000_123_456, DevUS: Some(0), DevWallUS: Some(77), Body: make()},
			} {
				if name == "filled" {
					var n int64
					fill(reflect.ValueOf(e.Body).Elem(), &n)
				}
				line, err := e.AppendJSON([]byte("kept "))
				if err != nil {
					t.Fatal(err)
				}
				text, ok := strings.CutPrefix(string(line), `kept {"kind":"`+kind+`","host_us":`)
				if !ok || strings.Contains(text, "\n") {
					t.Fatalf("wrote %s", line)
				}
				var back Event
				if err := back.ParseJSON(line[len("kept "):]); err != nil {
					t.Fatalf("reading %s: %v", line, err)
				}
				if !reflect.DeepEqual(back, e) {
					t.Errorf("%s: wrote %+v\nread %+v\nline %s", name, e.Body, back.Body, line)
				}
			}
		})
	}
}

func TestUnknownIsAbsentAndZeroIsNot(t *testing.T) {
	opt := reflect.TypeFor[Opt]()
	for kind, make := range bodies {
		body := make()
		v := reflect.ValueOf(body).Elem()
		for i := range v.NumField() {
			if v.Field(i).Type() != opt {
				continue
			}
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			for want, value := range map[string]Opt{"": 0, "0": Some(0), "-1": Some(-1)} {
				v.Field(i).Set(reflect.ValueOf(value))
				e := Event{HostUS: 1, Body: body}
				line, err := e.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				var keys map[string]json.RawMessage
				if err := json.Unmarshal(line, &keys); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if got := string(keys[key]); got != want {
					t.Errorf("%s: %s of %v is written as %q, want %q", kind, key, value, got, want)
				}
			}
			v.Field(i).SetZero()
		}
	}
	e := Event{HostUS: 1, Body: new(Ping)}
	if line, _ := e.AppendJSON(nil); strings.Contains(string(line), "dev_us") {
		t.Errorf("an unknown device time is written: %s", line)
	}
}

func TestNoFieldIsCalledLikeOneOfTheEnvelope(t *testing.T) {
	for kind, make := range bodies {
		b := reflect.TypeOf(make()).Elem()
		for i := range b.NumField() {
			key, _, _ := strings.Cut(b.Field(i).Tag.Get("json"), ",")
			if key == "" || slices.Contains([]string{"kind", "host_us", "dev_us", "dev_wall_us"}, key) {
				t.Errorf("%s.%s is called %q in JSON", kind, b.Field(i).Name, key)
			}
		}
	}
}

func TestACloneIsItsOwn(t *testing.T) {
	for kind, make := range bodies {
		e := Event{HostUS: 1, Body: make()}
		var n int64
		fill(reflect.ValueOf(e.Body).Elem(), &n)
		before, _ := e.AppendJSON(nil)
		c := e.Clone()
		scribble(reflect.ValueOf(e.Body).Elem())
		if after, _ := c.AppendJSON(nil); string(after) != string(before) {
			t.Errorf("%s: the clone changed with its original:\n%s\n%s", kind, before, after)
		}
	}
}

// scribble overwrites what a source reuses: fields and the bytes of texts.
func scribble(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Slice:
			for j := range f.Len() {
				f.Index(j).SetZero()
			}
		default:
			f.SetZero()
		}
	}
}

func TestWhatIsNoEventIsSaidToBe(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "reading an event",
		"[]":                            "reading an event",
		`{"host_us":1}`:                 `no event is called ""`,
		`{"kind":"nonsense"}`:           `no event is called "nonsense"`,
		`{"kind":"frame","seq":"four"}`: "reading a frame event",
		`{"kind":"frame","seq":1.5}`:    "reading a frame event",
	} {
		var e Event
		if err := e.ParseJSON([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", in, err, want)
		}
	}
}
