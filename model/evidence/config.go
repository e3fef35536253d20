package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"
)

// RunConfig is run_config.json. What the caller leaves empty of Go, OS, Arch
// and Modules is filled in.
type RunConfig struct {
	Linktop string            `json:"linktop,omitempty"` // version of this program
	Go      string            `json:"go,omitempty"`
	Modules map[string]string `json:"modules,omitempty"` // versions built in
	OS      string            `json:"os,omitempty"`
	Arch    string            `json:"arch,omitempty"`
	Port    string            `json:"port,omitempty"` // the device's console
	Baud    int               `json:"baud,omitempty"`
	Listen  string            `json:"listen,omitempty"` // the metrics server's address
	URL     string            `json:"url,omitempty"`    // what the device is told, token masked
	Start   time.Time         `json:"start,omitzero"`
	End     time.Time         `json:"end,omitzero"` // absent when the run was cut short
	// Below: of the whole recording, written at its end.
	Serial       *Serial `json:"serial,omitempty"`
	WrittenBytes int64   `json:"written_bytes,omitempty"`
	LostBytes    int64   `json:"lost_bytes,omitempty"` // raw bytes the disk could not take
	LostEvents   int64   `json:"lost_events,omitempty"`
}

// Serial is the extent of the raw log in time.
type Serial struct {
	Bytes   int64 `json:"bytes"`
	FirstUS int64 `json:"first_us,omitempty"` // arrival of its first bytes, µs since the Unix epoch
	LastUS  int64 `json:"last_us,omitempty"`
}

func (s *Serial) add(hostUS int64, n int) {
	if s.Bytes == 0 {
		s.FirstUS = hostUS
	}
	s.Bytes += int64(n)
	s.LastUS = hostUS
}

func (c *RunConfig) begin(start time.Time) {
	set(&c.Go, runtime.Version())
	set(&c.OS, runtime.GOOS)
	set(&c.Arch, runtime.GOARCH)
	if c.Start.IsZero() {
		c.Start = start
	}
	if info, ok := debug.ReadBuildInfo(); ok && c.Modules == nil && len(info.Deps) > 0 {
		c.Modules = map[string]string{}
		for _, m := range info.Deps {
			c.Modules[m.Path] = m.Version
		}
	}
}

func set(p *string, v string) {
	if *p == "" {
		*p = v
	}
}

func (c *RunConfig) end(end time.Time, serial Serial, written int64, lost Lost) {
	c.End, c.WrittenBytes, c.LostBytes, c.LostEvents = end, written, lost.Bytes, lost.Events
	if serial.Bytes > 0 {
		c.Serial = &serial
	}
}

// writeConfig writes the file whole or not at all.
func writeConfig(dir string, c RunConfig) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", ConfigFile, err)
	}
	name := filepath.Join(dir, ConfigFile)
	f, err := os.Create(name + ".new")
	if err != nil {
		return fmt.Errorf("writing %s: %w", ConfigFile, err)
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", ConfigFile, reason(err))
	}
	return nil
}

// ReadConfig reads a folder's run_config.json.
func ReadConfig(dir string) (RunConfig, error) {
	var c RunConfig
	name := filepath.Join(dir, ConfigFile)
	b, err := os.ReadFile(name)
	if err != nil {
		return c, fmt.Errorf("reading a recording: %w", err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("reading %s: %w", name, err)
	}
	return c, nil
}
