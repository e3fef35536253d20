package port

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// sysfs lays out a tree: a value that begins with "->" makes a link.
func sysfs(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, value := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if len(value) > 2 && value[:2] == "->" {
			err = os.Symlink(value[2:], path)
		} else {
			err = os.WriteFile(path, []byte(value), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestListSysfs(t *testing.T) {
	root := sysfs(t, map[string]string{
		// The chip's own USB: the tty hangs below an interface of the device.
		"devices/pci0/usb1/1-2/idVendor":                   "303a\n",
		"devices/pci0/usb1/1-2/idProduct":                  "1001\n",
		"devices/pci0/usb1/1-2/serial":                     "7C:DF:A1:00:00:01\n",
		"devices/pci0/usb1/1-2/product":                    "USB JTAG/serial\x1b[2J debug unit\n",
		"devices/pci0/usb1/1-2/manufacturer":               "Espressif\n",
		"devices/pci0/usb1/1-2/1-2:1.0/tty/ttyACM0/dev":    "166:0\n",
		"devices/pci0/usb1/1-2/1-2:1.0/bInterfaceClass":    "02\n",
		"devices/pci0/usb1/1-2/1-2:1.0/tty/ttyACM0/device": "->../../",
		"class/tty/ttyACM0":                                "->../../devices/pci0/usb1/1-2/1-2:1.0/tty/ttyACM0",
		// A bridge: its driver puts one more directory between. A hub above has
		// ids too, which are not the port's.
		"devices/pci0/usb1/1-3/idVendor":                                   "05e3\n",
		"devices/pci0/usb1/1-3/1-3.1/idVendor":                             "1a86\n",
		"devices/pci0/usb1/1-3/1-3.1/idProduct":                            "55d3\n",
		"devices/pci0/usb1/1-3/1-3.1/1-3.1:1.0/ttyUSB0/tty/ttyUSB0/dev":    "188:0\n",
		"devices/pci0/usb1/1-3/1-3.1/1-3.1:1.0/ttyUSB0/tty/ttyUSB0/device": "->../../../ttyUSB0",
		"class/tty/ttyUSB0":                                                "->../../devices/pci0/usb1/1-3/1-3.1/1-3.1:1.0/ttyUSB0/tty/ttyUSB0",
		// A UART that is there, and one that only has a name.
		"devices/platform/serial8250/tty/ttyS0/type":   "4\n",
		"devices/platform/serial8250/tty/ttyS0/device": "->../../../serial8250",
		"devices/platform/serial8250/tty/ttyS1/type":   "0\n",
		"devices/platform/serial8250/tty/ttyS1/device": "->../../../serial8250",
		"class/tty/ttyS0": "->../../devices/platform/serial8250/tty/ttyS0",
		"class/tty/ttyS1": "->../../devices/platform/serial8250/tty/ttyS1",
		// A virtual console has no device.
		"devices/virtual/tty/tty1/dev": "4:1\n",
		"class/tty/tty1":               "->../../devices/virtual/tty/tty1",
	})
	got, err := listSysfs(root, func(dev string) string {
		if dev == "/dev/ttyUSB0" {
			return "python3, process 8124"
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Info{
		{Name: "/dev/ttyACM0", Product: "USB JTAG/serial [2J debug unit", Manufacturer: "Espressif", VID: "303A", PID: "1001",
			Serial: "7C:DF:A1:00:00:01", Board: "ESP32 USB JTAG"},
		{Name: "/dev/ttyUSB0", VID: "1A86", PID: "55D3", Board: "CH343 serial", Holder: "python3, process 8124"},
		{Name: "/dev/ttyS0"},
	}
	if ports := arrange(got); !reflect.DeepEqual(ports, want) {
		t.Errorf("got  %+v\nwant %+v", ports, want)
	}
}

func TestListSysfsWithoutSysfs(t *testing.T) {
	got, err := listSysfs(t.TempDir(), func(string) string { return "" })
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v; a system without sysfs has no ports and no error", got, err)
	}
	if arrange(got) == nil {
		t.Error("no ports must still be a list, [] in JSON")
	}
}

func TestListReadsThisSystem(t *testing.T) {
	ports, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ports {
		if _, err := os.Lstat(filepath.Join("/sys/class/tty", filepath.Base(p.Name), "device")); err != nil {
			t.Errorf("%s has no hardware: %v", p.Name, err)
		}
	}
}
