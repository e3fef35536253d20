package port

import (
	"fmt"
	"strconv"
	"strings"
)

// parseIORegistry reads macOS's `ioreg -r -c IOUSBHostDevice -l -w 0` and
// returns the USB ids of each callout device, "/dev/cu.usbmodem1101". A serial
// port hangs somewhere below the USB device whose ids it has.
func parseIORegistry(text string) map[string]Info {
	type node struct {
		depth int
		info  *Info // nil for a node that is no USB device
	}
	var path []node
	ports := map[string]*Info{}
	for line := range strings.Lines(text) {
		if depth := strings.Index(line, "+-o "); depth >= 0 {
			for len(path) > 0 && path[len(path)-1].depth >= depth {
				path = path[:len(path)-1]
			}
			n := node{depth: depth}
			if strings.Contains(line, "<class IOUSBHostDevice,") || strings.Contains(line, "<class IOUSBDevice,") {
				n.info = &Info{}
			}
			path = append(path, n)
			continue
		}
		key, value, ok := property(line)
		if !ok || len(path) == 0 {
			continue
		}
		if key == "IOCalloutDevice" {
			for i := len(path) - 1; i >= 0; i-- {
				if path[i].info != nil {
					ports[value] = path[i].info
					break
				}
			}
			continue
		}
		if d := path[len(path)-1].info; d != nil {
			describe(d, key, value)
		}
	}
	found := make(map[string]Info, len(ports))
	for name, i := range ports {
		found[name] = *i
	}
	return found
}

func describe(d *Info, key, value string) {
	switch key {
	case "idVendor":
		d.VID = hexID(value)
	case "idProduct":
		d.PID = hexID(value)
	case "USB Serial Number", "kUSBSerialNumberString":
		d.Serial = clean(value)
	case "USB Product Name", "kUSBProductString":
		d.Product = clean(value)
	case "USB Vendor Name", "kUSBVendorString":
		d.Manufacturer = clean(value)
	}
}

// property splits `|   "key" = value`, the value without its quotes.
func property(line string) (key, value string, ok bool) {
	line = strings.TrimLeft(line, " |")
	if !strings.HasPrefix(line, `"`) {
		return "", "", false
	}
	key, value, ok = strings.Cut(line[1:], `" = `)
	return key, strings.Trim(strings.TrimSpace(value), `"`), ok
}

func hexID(decimal string) string {
	n, err := strconv.ParseUint(decimal, 10, 16)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%04x", n)
}
