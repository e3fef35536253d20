// Package background answers, before anyone asks, whether the terminal's
// background is dark.
//
// Bubble Tea v1 asks the terminal itself (OSC 11) in an init function, and waits
// up to five seconds for a terminal that does not answer. Setting the answer
// first avoids the question. Initialisation runs in order of import paths once
// dependencies are met, so this package must be initialised before
// github.com/charmbracelet/bubbletea: main imports it, and the module's path
// sorts before "github.com/". It imports lipgloss alone.
//
// The answer does not matter: the theme comes from --theme or COLORFGBG.
package background

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
