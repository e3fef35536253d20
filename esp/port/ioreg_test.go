package port

import (
	"reflect"
	"testing"
)

func TestParseIORegistry(t *testing.T) {
	const text = `+-o USB JTAG_serial debug unit@01100000  <class IOUSBHostDevice, id 0x1000004d1, registered, matched, active, busy 0 (20 ms), retain 30>
  | {
  |   "idProduct" = 4097
  |   "USB Product Name" = "USB JTAG_serial debug unit"
  |   "idVendor" = 12346
  |   "USB Serial Number" = "7C:DF:A1:00:00:01"
  |   "USB Vendor Name" = "Espressif"
  | }
  | 
  +-o IOUSBHostInterface@0  <class IOUSBHostInterface, id 0x1000004d8, registered, matched, active, busy 0 (10 ms), retain 9>
  | | {
  | |   "idVendor" = 1
  | |   "USB Serial Number" = "not the device's"
  | | }
  | |
  | +-o AppleUSBACMData  <class AppleUSBACMData, id 0x1000004e2, registered, matched, active, busy 0 (3 ms), retain 7>
  |   +-o IOModemSerialStreamSync  <class IOModemSerialStreamSync, id 0x1000004e4>
  |       {
  |         "IOCalloutDevice" = "/dev/cu.usbmodem1101"
  |         "IODialinDevice" = "/dev/tty.usbmodem1101"
  |       }
  |
  +-o IOUSBHostInterface@2  <class IOUSBHostInterface, id 0x1000004d9>
+-o USB2.0 Hub@02000000  <class IOUSBHostDevice, id 0x100000500>
  | {
  |   "idProduct" = 1544
  |   "idVendor" = 1507
  | }
  +-o CP2102N@02100000  <class IOUSBHostDevice, id 0x100000501>
    | {
    |   "idProduct" = 60000
    |   "idVendor" = 4292
    |   "kUSBSerialNumberString" = "0001"
    |   "kUSBProductString" = "CP2102N"
    | }
    +-o IOSerialBSDClient  <class IOSerialBSDClient, id 0x100000502>
        {
          "IOCalloutDevice" = "/dev/cu.SLAB_USBtoUART"
        }
`
	want := map[string]Info{
		"/dev/cu.usbmodem1101": {VID: "303a", PID: "1001", Serial: "7C:DF:A1:00:00:01",
			Product: "USB JTAG_serial debug unit", Manufacturer: "Espressif"},
		"/dev/cu.SLAB_USBtoUART": {VID: "10c4", PID: "ea60", Serial: "0001", Product: "CP2102N"},
	}
	if got := parseIORegistry(text); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, torn := range []string{"", "garbage", `"idVendor" = 1`, `+-o x <class IOUSBHostDevice, id>` + "\n\"IOCalloutDevice\"", "\x00+-o "} {
		if got := parseIORegistry(torn); len(got) != 0 {
			t.Errorf("%q gave %+v", torn, got)
		}
	}
}
