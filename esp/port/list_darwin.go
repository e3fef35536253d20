package port

import (
	"context"
	"os/exec"
	"path/filepath"
	"time"
)

// list takes the names from /dev and the USB ids from ioreg: the system's own
// interface for them needs cgo. Without ioreg there are names only.
func list() ([]Info, error) {
	names, err := filepath.Glob("/dev/cu.*")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	text, _ := exec.CommandContext(ctx, "ioreg", "-r", "-c", "IOUSBHostDevice", "-l", "-w", "0").Output()
	usb := parseIORegistry(string(text))
	ports := make([]Info, 0, len(names))
	for _, name := range names {
		i := usb[name]
		i.Name = name
		ports = append(ports, i)
	}
	return ports, nil
}
