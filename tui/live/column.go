package live

// rightColumn stacks the panels beside the frames. The least of each always
// stands; what else there is room for is added in order of what it tells.
func (p *page) rightColumn(r rect) {
	wide := slot(r)
	rateRows, ringRows, pathRows, whyRows := 3, 2, 2, 0
	left := r.h - (1 + rateRows + 1 + 1 + ringRows + 1 + 1 + pathRows + 1 + 1)
	take := func(n int) bool {
		if left < n {
			return false
		}
		left -= n
		return true
	}
	if take(1) {
		rateRows++ // what the send buffer allows
	}
	if n := len(p.s.Why); n > 0 && left >= min(n, 3) {
		whyRows = min(n, 3)
		left -= whyRows
	}
	if wide && take(2) {
		pathRows = 4 // report echo, buffer free
	}
	if wide && take(1) {
		ringRows++ // the level over time
	}
	more := min(len(p.s.Why)-whyRows, left)
	if whyRows > 0 && more > 0 {
		whyRows += more
		left -= more
	}
	tank := wide && take(tankRows+1)
	spark := wide && len(p.s.Rate.SendsSeries) > 0 && take(1)
	server := 0
	if wide && left >= 4 {
		server = min(left-1, serverRows)
	}

	y := r.y
	next := func(rows int) rect {
		at := rect{r.x, y, r.w, rows}
		y += rows + 1
		return at
	}
	rows := 1 + rateRows
	if spark {
		rows++
	}
	p.rate(next(rows), rateRows > 3, spark)
	p.ring(next(1+ringRows), ringRows > 2)
	p.path(next(1+pathRows), pathRows > 2)
	p.why(next(1 + whyRows))
	if tank {
		p.tank(next(tankRows))
	}
	if server > 0 {
		p.server(next(server))
	}
}

// thirdColumn is the device, what happened, and the log.
func (p *page) thirdColumn(r rect) {
	device := min(p.deviceRows(), max(r.h*2/5, 6))
	p.device(rect{r.x, r.y, r.w, device})
	y := r.y + device + 1
	if n := min(len(p.s.Marks), max(3, r.h/6)); n > 0 && y+1+n <= r.bottom() {
		p.events(rect{r.x, y, r.w, 1 + n})
		y += n + 2
	}
	if r.bottom()-y >= 3 {
		p.log(rect{r.x, y, r.w, r.bottom() - y})
	}
}
