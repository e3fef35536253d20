package port

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// list reads sysfs. The serial library's own list opens ttyS ports at 9600 baud
// to see whether they are real, which breaks a console that is in use.
func list() ([]Info, error) {
	return listSysfs("/sys", func(dev string) string { return holderIn("/proc", dev) })
}

// listSysfs lists the ttys below root that have hardware behind them.
func listSysfs(root string, holder func(dev string) string) ([]Info, error) {
	class := filepath.Join(root, "class", "tty")
	entries, err := os.ReadDir(class)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a container without sysfs
	}
	if err != nil {
		return nil, err
	}
	var ports []Info
	for _, e := range entries {
		tty := filepath.Join(class, e.Name())
		device, err := filepath.EvalSymlinks(filepath.Join(tty, "device"))
		if err != nil {
			continue // virtual consoles and pseudo-terminals have none
		}
		if phantom(tty) {
			continue
		}
		p := Info{Name: "/dev/" + e.Name()}
		p.usb(root, device)
		p.Holder = holder(p.Name)
		ports = append(ports, p)
	}
	return ports, nil
}

// phantom tells a UART that the driver keeps a name for although no chip was
// found: its type is 0, PORT_UNKNOWN.
func phantom(tty string) bool {
	b, err := os.ReadFile(filepath.Join(tty, "type"))
	return err == nil && strings.TrimSpace(string(b)) == "0"
}

// usb fills in what the USB device above an interface says of itself.
func (p *Info) usb(root, device string) {
	stop, err := filepath.EvalSymlinks(root)
	if err != nil {
		stop = root
	}
	for dir := device; len(dir) > len(stop); dir = filepath.Dir(dir) {
		vid := attribute(dir, "idVendor")
		if vid == "" {
			continue
		}
		p.VID, p.PID, p.Serial = vid, attribute(dir, "idProduct"), attribute(dir, "serial")
		p.Product, p.Manufacturer = attribute(dir, "product"), attribute(dir, "manufacturer")
		return
	}
}

func attribute(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return clean(string(b))
}
