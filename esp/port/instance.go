package port

import "strings"

// parseInstance reads the USB ids out of a Windows device instance id:
//
//	USB\VID_303A&PID_1001\7C:DF:A1:00:00:01
//	USB\VID_303A&PID_1001&MI_00\6&2A3B4C5D&0&0000
//	FTDIBUS\VID_0403+PID_6001+A50285BIA\0000
//
// An instance with "&" was named by Windows and is no serial number: part is
// then that name, whose beginning the whole device keeps as its ParentIdPrefix
// when the port is one of several functions.
func parseInstance(instance string) (i Info, part string) {
	fields := strings.Split(instance, `\`)
	if len(fields) != 3 {
		return Info{}, ""
	}
	ids := strings.FieldsFunc(fields[1], func(r rune) bool { return r == '&' || r == '+' })
	function := false
	for n, id := range ids {
		switch {
		case strings.HasPrefix(id, "VID_"):
			i.VID = strings.ToLower(id[4:])
		case strings.HasPrefix(id, "PID_"):
			i.PID = strings.ToLower(id[4:])
		case strings.HasPrefix(id, "MI_"):
			function = true
		case fields[0] == "FTDIBUS" && n == 2:
			// The driver adds the letter of the chip's channel.
			i.Serial = id
		}
	}
	if i.VID == "" || i.PID == "" {
		return Info{}, ""
	}
	switch {
	case fields[0] != "USB":
	case function:
		part = fields[2]
	case !strings.Contains(fields[2], "&"):
		i.Serial = fields[2]
	}
	return i, part
}

// productName is a friendly name without the port that Windows adds to it:
// "USB Serial Device (COM6)".
func productName(friendly string) string {
	name, _, _ := strings.Cut(friendly, " (COM")
	return name
}
