package trace

// settleTrace tells what must be told before a trace line is.
func (d *Decoder) settleTrace(f *found) {
	if d.waiting == 0 {
		return
	}
	if d.waiting&waitHeld != 0 && f.kind == d.held.kind {
		d.letGo()
	}
	d.waiting &^= waitVersion
	d.settleCrash()
	d.settleBoot()
	if d.waiting&waitTrouble != 0 {
		d.settleTrouble()
		d.trouble.told = true // its further lines may follow the trace line
	}
}

// settle tells what must be told before an ordinary line is: whatever the line
// does not belong to. counts tells whether the line is one another task may have
// put between the parts of a held one.
func (d *Decoder) settle(h *head, counts bool) {
	if d.waiting == 0 {
		return
	}
	starts := startsChip(h)
	if d.waiting&waitHeld != 0 {
		if d.held.lines++; starts || !counts || d.held.lines > heldLines {
			d.letGo()
		}
	}
	if d.waiting&waitTrouble != 0 && (starts || !d.trouble.belongs(h, d.near(h))) {
		d.settleTrouble()
	}
	if d.waiting&waitCrash != 0 && (starts || h.level != 0 && !aborting(h)) {
		d.settleCrash()
	}
	if d.waiting&(waitBoot|waitVersion) != 0 && !starts && d.boot.ended(h) {
		d.waiting &^= waitVersion
		d.settleBoot()
	}
}

// settleAll tells everything that waits.
func (d *Decoder) settleAll() {
	if d.waiting&waitHeld != 0 {
		d.letGo()
	}
	d.settleTrouble()
	d.settleCrash()
	d.settleBoot()
}

// settleQuiet tells what a quiet console lets be told. A reset that was only
// announced waits for the ROM: a USB console is gone for a second meanwhile.
func (d *Decoder) settleQuiet() {
	if d.waiting&waitHeld != 0 {
		d.letGo()
	}
	d.settleTrouble()
	d.settleCrash()
	if d.waiting&waitBoot != 0 && d.boot.rst {
		d.settleBoot()
		d.waiting |= waitVersion
	}
}
