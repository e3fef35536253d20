package port

import (
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// portsClass is GUID_DEVCLASS_PORTS of devguid.h.
var portsClass = windows.GUID{Data1: 0x4d36e978, Data2: 0xe325, Data3: 0x11ce,
	Data4: [8]byte{0xbf, 0xc1, 0x08, 0x00, 0x2b, 0xe1, 0x03, 0x18}}

// list takes the names from the registry, where every serial driver puts them,
// and what they are from the devices that are plugged in now: the registry
// alone keeps every device that ever had the name.
func list() ([]Info, error) {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DEVICEMAP\SERIALCOMM`, registry.QUERY_VALUE)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no serial driver has a port
	}
	if err != nil {
		return nil, err
	}
	defer key.Close()
	drivers, err := key.ReadValueNames(-1)
	if err != nil {
		return nil, err
	}
	known := present()
	var ports []Info
	for _, d := range drivers {
		name, _, err := key.GetStringValue(d)
		if err != nil || name == "" {
			continue
		}
		i := known[name]
		i.Name = name
		ports = append(ports, i)
	}
	return ports, nil
}

// present describes the ports whose device is there, by name. What it cannot
// learn is left out.
func present() map[string]Info {
	found := map[string]Info{}
	set, err := windows.SetupDiGetClassDevsEx(&portsClass, "", 0, windows.DIGCF_PRESENT, 0, "")
	if err != nil {
		return found
	}
	defer set.Close()
	for n := 0; ; n++ {
		data, err := set.EnumDeviceInfo(n)
		if errors.Is(err, windows.ERROR_NO_MORE_ITEMS) || err != nil && n > 1000 {
			return found
		}
		if err != nil {
			continue
		}
		name := portName(set, data)
		if name == "" {
			continue
		}
		instance, err := set.DeviceInstanceID(data)
		if err != nil {
			continue
		}
		i, part := parseInstance(strings.ToUpper(instance))
		if part != "" {
			i.Serial = wholeSerial(i, part)
		}
		if v, err := set.DeviceRegistryProperty(data, windows.SPDRP_FRIENDLYNAME); err == nil {
			if s, ok := v.(string); ok {
				i.Product = productName(clean(s))
			}
		}
		found[name] = i
	}
}

func portName(set windows.DevInfo, data *windows.DevInfoData) string {
	h, err := set.OpenDevRegKey(data, windows.DICS_FLAG_GLOBAL, 0, windows.DIREG_DEV, windows.KEY_READ)
	if err != nil {
		return ""
	}
	key := registry.Key(h)
	defer key.Close()
	name, _, err := key.GetStringValue("PortName")
	if err != nil {
		return ""
	}
	return name
}

// wholeSerial finds the serial number of the device that a function belongs
// to: the chip's own USB is a console and a debugger in one.
func wholeSerial(i Info, part string) string {
	path := `SYSTEM\CurrentControlSet\Enum\USB\VID_` + strings.ToUpper(i.VID) + `&PID_` + strings.ToUpper(i.PID)
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.ENUMERATE_SUB_KEYS)
	if err != nil {
		return ""
	}
	defer key.Close()
	instances, err := key.ReadSubKeyNames(-1)
	if err != nil {
		return ""
	}
	for _, instance := range instances {
		if strings.Contains(instance, "&") {
			continue // named by Windows: the device has no serial number
		}
		k, err := registry.OpenKey(registry.LOCAL_MACHINE, path+`\`+instance, registry.QUERY_VALUE)
		if err != nil {
			continue
		}
		prefix, _, err := k.GetStringValue("ParentIdPrefix")
		k.Close()
		if err == nil && prefix != "" && strings.HasPrefix(part, strings.ToUpper(prefix)) {
			return instance
		}
	}
	return ""
}
