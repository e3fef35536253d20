package port

// known are the USB serial devices on ESP32 boards, by VID:PID.
var known = map[string]string{
	"303A:1001": "ESP32 USB JTAG", // built into the S3, C3, C6, H2 and later chips
	"303A:4001": "ESP32 USB CDC",  // TinyUSB
	"303A:4002": "ESP32 USB CDC",
	"10C4:EA60": "CP210x serial",
	"10C4:EA70": "CP2105 serial",
	"10C4:EA71": "CP2108 serial",
	"1A86:7523": "CH340 serial",
	"1A86:55D3": "CH343 serial",
	"1A86:55D4": "CH9102 serial",
	"0403:6001": "FT232R serial",
	"0403:6010": "FT2232H serial",
	"0403:6011": "FT4232H serial",
	"0403:6014": "FT232H serial",
	"0403:6015": "FT231X serial",
	"067B:2303": "PL2303 serial",
}

// espressif is the USB vendor of ports that are the chip itself: they have no
// UART, and no speed.
const espressif = "303A"
