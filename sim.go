package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dev.local/linktop/esp/virtual"
)

func simCommand() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use: "sim [OPTIONS]", Short: "Run a virtual device on a pseudo-terminal, for linktop --port in a second terminal",
		Long: `Run a virtual device on a pseudo-terminal, for linktop --port in a second
terminal. It prints the pseudo-terminal's path and runs until Ctrl-C.

OPTIONS, separated by commas, are those of --port sim:OPTIONS too:

  drain=13KB    what the path carries, bytes/s; 0, the default, is no limit
  rtt=285ms     the path's round trip
  rate=27400    what the device makes, bytes/s
  name=bench-3  the device's name
  trace=full    trace lines: compact (default), full, short or off
  baud=115200   the serial line's speed; 0 is no limit
  cpu=free      no time for encryption and copies
  verify=off    any certificate will do for wss://
  seed=1        of everything random`,
		Example: "  linktop sim\n  linktop sim drain=13KB,rtt=280ms",
		Args:    cobra.MaximumNArgs(1),
		RunE: job(func(ctx context.Context, args []string) error {
			opts, err := virtual.ParseOptions(strings.Join(args, ","))
			if err != nil {
				return misuse{err}
			}
			opts.URL = url
			device := virtual.New(opts)
			path, err := device.ServePTY(ctx)
			if err != nil {
				return err
			}
			fmt.Println(path)
			fmt.Fprintf(os.Stderr, "A virtual %s runs until Ctrl-C. In a second terminal: linktop --port %s\n", device.Name(), path)
			return device.Run(ctx)
		}),
	}
	cmd.Flags().StringVar(&url, "url", "", "WebSocket `URL` to stream to (default: none until `lt url` tells one)")
	return cmd
}
