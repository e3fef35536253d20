package virtual

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Device is a virtual ESP32-S3. Make it with New, switch it on with Run.
type Device struct {
	opts   Options
	uart   *uart
	resets chan bootReason // capacity 1

	mu      sync.Mutex
	url     string // as NVS keeps it, over reboots
	running bool
}

// New makes a device that is switched off.
func New(opts Options) *Device {
	d := &Device{opts: opts.withDefaults(), resets: make(chan bootReason, 1), url: opts.URL}
	d.uart = newUART(d.opts.Baud, func() { d.restart(bootUSB) })
	return d
}

// Name is the device's name.
func (d *Device) Name() string { return d.opts.Name }

// Baud is the console's speed in bits per second, 0 when it is not limited.
func (d *Device) Baud() int { return max(0, d.opts.Baud) }

// Run is the device under power: it boots, and runs until ctx ends. Then the
// open console reads io.EOF, and the connection is gone without a word.
func (d *Device) Run(ctx context.Context) error {
	d.mu.Lock()
	if d.running {
		d.mu.Unlock()
		return errors.New("virtual device: it is running already")
	}
	d.running = true
	d.mu.Unlock()
	select {
	case <-d.resets: // asked for while there was no power
	default:
	}
	defer func() {
		d.uart.hangUp(io.EOF)
		d.mu.Lock()
		d.running = false
		d.mu.Unlock()
	}()

	for reason := bootPowerOn; ; {
		life, end := context.WithCancel(ctx)
		f := newFirmware(d, life)
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.run(life, reason)
		}()
		select {
		case reason = <-d.resets:
		case <-ctx.Done():
		}
		end()
		<-done
		if ctx.Err() != nil {
			return nil
		}
		d.uart.clear()
	}
}

func (d *Device) restart(why bootReason) {
	select {
	case d.resets <- why:
	default: // one is on its way
	}
}

// Console is the host's end of the serial console.
type Console interface {
	io.ReadWriteCloser
	// Reset restarts the device, as its RTS line does.
	Reset() error
}

// OpenConsole opens the console, which one program at a time can. Opened before
// Run, or within two seconds of it, it shows the boot from its first line.
func (d *Device) OpenConsole() (Console, error) {
	c, err := d.uart.open()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Unplug pulls the console's cable: an open console reads io.EOF, and none can
// be opened until Plug.
func (d *Device) Unplug() { d.uart.plug(false) }

// Plug puts the cable back.
func (d *Device) Plug() { d.uart.plug(true) }

func (d *Device) savedURL() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.url
}

func (d *Device) saveURL(url string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.url = url
}
