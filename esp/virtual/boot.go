package virtual

import "fmt"

// bootReason is why the chip starts.
type bootReason int

const (
	bootPowerOn bootReason = iota
	bootSoftware
	bootUSB
)

// What the device says of itself in `hello` and its boot log.
const (
	firmwareName = "linktop-probe/1.0.0"
	idfVersion   = "v5.5.3"
	chipName     = "esp32s3"
	chipID       = "7cdfa1e0c0de"
	capabilities = "frame,burst,pace,agg,codec,url,trace,tcp,sndbuf"
)

// romLog is what the ROM and the second-stage bootloader print.
func romLog(why bootReason) string {
	// Codes and names as in esp_rom/esp32s3/rtc.h.
	rst, saved := "0x1 (POWERON)", ""
	switch why {
	case bootSoftware:
		rst, saved = "0xc (RTC_SW_CPU_RST)", "Saved PC:0x40379a2d\r\n"
	case bootUSB:
		rst, saved = "0x15 (USB_UART_CHIP_RESET)", "Saved PC:0x40378b3a\r\n"
	}
	return fmt.Sprintf("ESP-ROM:esp32s3-20210327\r\nBuild:Mar 27 2021\r\nrst:%s,boot:0x8 (SPI_FAST_FLASH_BOOT)\r\n%s"+
		"SPIWP:0xee\r\nmode:DIO, clock div:1\r\nload:0x3fce2820,len:0x15a0\r\nload:0x403c8700,len:0xd20\r\n"+
		"load:0x403cb700,len:0x2f68\r\nentry 0x403c8924\r\n"+
		"I (27) boot: ESP-IDF %s 2nd stage bootloader\r\nI (27) boot: Multicore bootloader\r\n"+
		"I (30) boot: chip revision: v0.2\r\nI (96) boot: Loaded app from partition at offset 0x10000\r\n",
		rst, saved, idfVersion)
}
