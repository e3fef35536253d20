// Linktop shows where the time of an ESP32-S3's audio stream goes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"dev.local/linktop/esp/port"
	"dev.local/linktop/esp/transcript"
	"dev.local/linktop/esp/virtual"
	"dev.local/linktop/link/headless"
	"dev.local/linktop/link/jsonl"
	"dev.local/linktop/link/server"
	"dev.local/linktop/link/session"
	"dev.local/linktop/model/evidence"
	"dev.local/linktop/tui"
	_ "dev.local/linktop/tui/background" // before Bubble Tea: see there
)

// Exit codes.
const (
	exitFailure = 1
	exitUsage   = 2
)

func main() { os.Exit(linktop(os.Args[1:])) }

func linktop(args []string) int {
	// Ambiguous-width characters are one column here; CJK consoles that draw
	// them in two have --glyphs=ascii.
	runewidth.DefaultCondition.EastAsianWidth = false
	// A reader that went away is an error of a write, not the end of a
	// recording.
	signal.Ignore(syscall.SIGPIPE)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup means it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal does not wait for an orderly end

	cmd := command()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return 0
	case errors.As(err, new(failure)):
		fmt.Fprintln(os.Stderr, "linktop:", err)
		return exitFailure
	default:
		fmt.Fprintf(os.Stderr, "linktop: %v\nSee linktop --help.\n", err)
		return exitUsage
	}
}

// failure is the error of a job that ran, as opposed to one of what the user
// wrote.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// misuse is an error in what the user wrote.
type misuse struct{ error }

// job makes a command's function of one whose errors are failures, unless they
// are misuse.
func job(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd.Context(), args)
		if err == nil || errors.As(err, new(misuse)) {
			return err
		}
		return failure{err}
	}
}

// settings of a session, from the command line.
type settings struct {
	port, listen, token, record, theme, glyphs, point string
	baud                                              int
	tls, headless                                     bool
	trust                                             []string
	duration                                          time.Duration
}

func command() *cobra.Command {
	var f settings
	root := &cobra.Command{
		Use:   "linktop",
		Short: "See where the time of an ESP32-S3's audio stream goes",
		Long: `linktop opens a device's serial port and a metrics server for its WebSocket,
side by side, and shows every frame with the time it waited (poll) and the time
it wrote. Keys change frame size, bursts and pacing on the running firmware.

  linktop --port sim      a virtual device, no hardware needed
  linktop --port COM6     a real one`,
		Version:       version(),
		Args:          cobra.NoArgs,
		SilenceErrors: true, SilenceUsage: true,
		RunE: job(func(ctx context.Context, _ []string) error { return live(ctx, &f) }),
	}
	serverFlags(root, &f)
	fs := root.Flags()
	fs.StringVar(&f.port, "port", "auto", "serial `PORT`; auto: the one known board; sim: a virtual device, as sim:drain=13KB,rtt=280ms")
	fs.IntVar(&f.baud, "baud", 115200, "baud rate of the serial port")
	fs.BoolVar(&f.headless, "headless", false, "no screen: events as JSON lines on stdout")
	choice(root, &f.theme, "theme", "colours", "auto", "dark", "light", "none")
	choice(root, &f.glyphs, "glyphs", "characters to draw with", "auto", "blocks", "ascii")
	choice(root, &f.point, "point", "tell a device this server's URL when it has none, always, or never", "auto", "here", "never")
	_ = root.RegisterFlagCompletionFunc("port", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := []string{"auto", "sim"}
		ports, _ := port.List() // a completion that knows fewer names is no error
		for _, p := range ports {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	root.AddCommand(portsCommand(), simCommand(), serveCommand(), decodeCommand(), versionCommand())
	return root
}

func serverFlags(cmd *cobra.Command, f *settings) {
	fs := cmd.Flags()
	fs.StringVar(&f.listen, "listen", "", "`ADDRESS` of the metrics server (default :8765; with --port sim a free port of this host)")
	fs.StringVar(&f.token, "token", "", "token a client must show (default: made up, none on loopback)")
	fs.BoolVar(&f.tls, "tls", false, "serve wss:// with a certificate of linktop's own, kept between starts")
	fs.StringSliceVar(&f.trust, "trust-proxy", nil, "believe what the proxy at `ADDRESS` (or CIDR) tells of its clients")
	fs.StringVar(&f.record, "record", "", "keep raw bytes and events in a new folder below `DIR`")
	fs.DurationVar(&f.duration, "for", 0, "end after this long, as 10s or 5m (default: not by itself)")
}

func choice(cmd *cobra.Command, to *string, flag, what string, words ...string) {
	cmd.Flags().StringVar(to, flag, words[0], what+": "+strings.Join(words, ", "))
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// live runs a session with a device: on a screen, or headless.
func live(ctx context.Context, f *settings) error {
	cfg := session.Config{}
	var err error
	if cfg.Point, err = session.ParsePoint(f.point); err != nil {
		return misuse{err}
	}
	if err := tui.Check(f.theme, f.glyphs); err != nil {
		return misuse{err}
	}
	if f.port == "" {
		return misuse{errors.New("--port takes the name of a port, auto or sim; linktop ports lists them")}
	}
	if f.baud <= 0 {
		return misuse{fmt.Errorf("--baud takes a rate such as 115200, not %d", f.baud)}
	}
	spec, sim := strings.CutPrefix(f.port, "sim")
	if !sim || spec != "" && spec[0] != ':' {
		cfg.Source = port.NewSource(f.port, f.baud)
		return run(ctx, f, cfg, ":8765", nil)
	}
	opts, err := virtual.ParseOptions(strings.TrimPrefix(spec, ":"))
	if err != nil {
		return misuse{fmt.Errorf("--port %s: %w", f.port, err)}
	}
	// The virtual device is given what a real one would be: the fingerprint.
	var s *session.Session
	opts.TLS = server.Pinned(func() string { return s.Server().Fingerprint() })
	device := virtual.New(opts)
	cfg.Source, cfg.Beside = virtual.NewSource(device), device.Run
	return run(ctx, f, cfg, "127.0.0.1:0", func(made *session.Session) { s = made })
}

// run runs a session. listen is the server's default address; made, where it
// is given, is told the session before it starts.
func run(ctx context.Context, f *settings, cfg session.Config, listen string, made func(*session.Session)) error {
	if f.duration < 0 {
		return misuse{fmt.Errorf("--for takes a time above zero, as 10s or 5m, not %s", f.duration)}
	}
	if !f.headless {
		if err := tui.CheckTerminal(os.Stdin, os.Stdout); err != nil {
			return err
		}
	}
	if f.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.duration)
		defer cancel()
	}
	if f.listen != "" {
		listen = f.listen
	}
	cfg.Server = &server.Config{Listen: listen, Token: f.token, TLS: f.tls}
	for _, word := range f.trust {
		prefix, err := server.ParseProxy(word)
		if err != nil {
			return misuse{fmt.Errorf("--trust-proxy: %w", err)}
		}
		cfg.Server.TrustProxy = append(cfg.Server.TrustProxy, prefix)
	}
	if f.record != "" {
		rc := evidence.RunConfig{Linktop: version(), Listen: listen}
		if cfg.Source != nil {
			rc.Port, rc.Baud = cfg.Source.Name(), cfg.Source.Baud()
		}
		var err error
		if cfg.Recorder, err = evidence.NewRecorder(f.record, evidence.Options{Config: rc}); err != nil {
			return err
		}
	}
	s, err := session.New(cfg)
	if err != nil {
		if cfg.Recorder != nil {
			err = errors.Join(err, cfg.Recorder.Close())
		}
		return err
	}
	if made != nil {
		made(s)
	}
	if f.headless {
		return headless.Run(ctx, s, os.Stdout, os.Stderr)
	}
	return screen(ctx, s, tui.Options{Session: s, Theme: f.theme, Glyphs: f.glyphs})
}

// screen shows a session until the user quits or the session ends.
func screen(ctx context.Context, s *session.Session, o tui.Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o.Guard = &tui.Guard{}
	var ran error
	ended := make(chan struct{})
	o.Guard.Go(func() {
		defer close(ended)
		defer cancel()
		ran = s.Run(ctx)
	})
	err := tui.Run(ctx, o)
	cancel()
	<-ended
	return errors.Join(err, ran)
}

func portsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ports", Short: "List the serial ports and what is on them", Args: cobra.NoArgs,
		RunE: job(func(context.Context, []string) error {
			ports, err := port.List()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(ports)
			}
			return port.WriteTable(os.Stdout, ports)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	return cmd
}

func simCommand() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use: "sim [OPTIONS]", Short: "Run a virtual device on a pseudo-terminal, for linktop --port in a second terminal",
		Long: `Run a virtual device on a pseudo-terminal, for linktop --port in a second
terminal. It prints the pseudo-terminal's path and runs until Ctrl-C.

OPTIONS, separated by commas, are those of --port sim:OPTIONS too:

` + virtual.OptionsHelp,
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

func serveCommand() *cobra.Command {
	f := settings{headless: true}
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the metrics server alone: its events as JSON lines on stdout", Args: cobra.NoArgs,
		RunE: job(func(ctx context.Context, _ []string) error {
			return run(ctx, &f, session.Config{NeedServer: true, Listening: announce}, ":8765", nil)
		}),
	}
	serverFlags(cmd, &f)
	return cmd
}

// announce tells on stderr what a device must be given to connect.
func announce(s *server.Server) {
	fmt.Fprintf(os.Stderr, "Devices connect to %s\n", s.DeviceURL())
	if print := s.Fingerprint(); print != "" {
		fmt.Fprintf(os.Stderr, "Certificate SHA-256 %s\n", print)
	}
}

// oneLog takes one argument.
func oneLog(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("decode takes one FILE, or - for standard input, not %d", len(args))
	}
	return nil
}

func decodeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "decode FILE|-", Short: "Decode any device log to events as JSON lines", Args: oneLog,
		RunE: job(func(_ context.Context, args []string) error {
			in, name := io.Reader(os.Stdin), "standard input"
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("decoding a log: %w", err)
				}
				defer file.Close()
				in, name = file, args[0]
			}
			w := jsonl.NewWriter(os.Stdout)
			counts, err := transcript.Read(in, w.Write)
			err = errors.Join(err, w.Flush())
			fmt.Fprintf(os.Stderr, "%s: %s\n", name, counts)
			return err
		}),
	}
}

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: job(func(context.Context, []string) error {
			v := map[string]string{"linktop": version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(v)
			}
			fmt.Printf("linktop %s, %s, %s/%s\n", v["linktop"], v["go"], v["os"], v["arch"])
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object")
	return cmd
}

// version is what the build was made of: a module version, or a commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = s.Value[:min(12, len(s.Value))]
		}
	}
	return v
}
