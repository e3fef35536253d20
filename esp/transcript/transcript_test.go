package transcript

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"dev.local/linktop/model"
)

func keep(*model.Event) error { return nil }

func TestCounts(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"nothing": {"", "0 bytes: nothing"},
		"frames and a gap": {
			"LT w s=1 o=2 n=64 p=1 m=1 h=1 w=1 t=4 r=64\r\nLT w s=4 o=2 n=64 p=1 m=1 h=1 w=1 t=4 r=64\r\n",
			"2 lines, 2 frames, 1 damaged place, 2 frames unseen",
		},
		"a reset": {"ESP-ROM:esp32s3-20210327\r\nrst:0x1 (POWERON),boot:0x8 (SPI_FAST_FLASH_BOOT)\r\n", "2 lines, 1 reset"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(iotest.OneByteReader(strings.NewReader(c.log)), keep)
			if err != nil || !strings.HasSuffix(got.String(), c.want) {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestErrorsEndIt(t *testing.T) {
	broken := errors.New("broken")
	if _, err := Read(iotest.ErrReader(broken), keep); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
	if _, err := Read(strings.NewReader("a\nb\nc\n"), func(*model.Event) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a writer that fails: %v", err)
	}
}
