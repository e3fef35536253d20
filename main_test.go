package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asLinktop makes the test binary act as linktop: end-to-end tests start it
// again with this in its environment.
const asLinktop = "LINKTOP_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asLinktop) != "" {
		os.Exit(linktop(os.Args[1:]))
	}
	testscript.Main(m, map[string]func(){"linktop": func() { os.Exit(linktop(os.Args[1:])) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true})
}
