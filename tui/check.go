package tui

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"

	"dev.local/linktop/tui/theme"
)

// Check tells whether Run will know the theme and the glyphs by these words.
func Check(themeName, glyphs string) error {
	_, err := theme.Choose(themeName, glyphs, nil)
	return err
}

// CheckTerminal tells whether Run can draw: its error wraps ErrNoTerminal.
func CheckTerminal(in, out *os.File) error {
	for _, f := range []struct {
		file *os.File
		what string
	}{{out, "output"}, {in, "input"}} {
		if !term.IsTerminal(f.file.Fd()) {
			return fmt.Errorf("the screen needs a terminal, but standard %s is %w: "+
				"run it in a terminal, or use --headless for events as JSON lines", f.what, ErrNoTerminal)
		}
	}
	return nil
}
