package trace

// wifiReason is a disconnect reason in plain words: IEEE 802.11 reason codes up
// to 199, ESP-IDF's own (wifi_err_reason_t) from 200 on.
func wifiReason(n int64) string {
	switch n {
	case 1:
		return "no reason given"
	case 2:
		return "authentication no longer valid"
	case 3:
		return "the access point is leaving, or sent this station away"
	case 4:
		return "disconnected for inactivity"
	case 5:
		return "the access point is full"
	case 6:
		return "frame from a station that is not authenticated"
	case 7:
		return "frame from a station that is not associated"
	case 8:
		return "left, or the access point went away"
	case 9:
		return "association without authentication"
	case 10:
		return "power capability not acceptable"
	case 11:
		return "channels not acceptable"
	case 12:
		return "the access point moved this station to another one"
	case 13:
		return "invalid information element"
	case 14:
		return "message integrity check failed"
	case 15:
		return "4-way handshake timed out: often a wrong password"
	case 16:
		return "group key update timed out"
	case 17:
		return "handshake differs from the access point's announcement"
	case 18:
		return "group cipher not valid"
	case 19:
		return "pairwise cipher not valid"
	case 20:
		return "key management not valid"
	case 21:
		return "RSN version not supported"
	case 22:
		return "RSN capabilities not valid"
	case 23:
		return "802.1X authentication failed"
	case 24:
		return "cipher rejected by the access point's policy"
	case 25:
		return "TDLS peer not reachable"
	case 26:
		return "TDLS link torn down"
	case 27:
		return "disconnected by the service provider"
	case 28:
		return "no roaming agreement with the service provider"
	case 29:
		return "cipher or key management not good enough"
	case 30:
		return "not authorised at this location"
	case 31:
		return "a change of service leaves no room for the traffic"
	case 32:
		return "quality of service, no reason given"
	case 33:
		return "not enough bandwidth at the access point"
	case 34:
		return "too many frames not acknowledged: poor radio link"
	case 35:
		return "sent longer than allowed"
	case 36:
		return "the station is leaving"
	case 37:
		return "block acknowledgement ended"
	case 38:
		return "block acknowledgement unknown"
	case 39:
		return "the peer timed out"
	case 45:
		return "the peer does not support the cipher"
	case 46:
		return "disconnected by the peer"
	case 47:
		return "disconnected by the access point"
	case 48:
		return "fast transition: invalid action frame count"
	case 49:
		return "fast transition: invalid PMKID"
	case 50:
		return "fast transition: invalid mobility domain"
	case 51:
		return "fast transition: invalid element"
	case 67:
		return "the link could not be established"
	case 68:
		return "the other channel is occupied"
	case 200:
		return "beacon timeout: the access point is no longer heard"
	case 201:
		return "no access point of that name found"
	case 202:
		return "authentication failed: wrong password, or turned away"
	case 203:
		return "association failed"
	case 204:
		return "handshake timed out"
	case 205:
		return "connection failed"
	case 206:
		return "the access point restarted its clock"
	case 207:
		return "roaming to another access point"
	case 208:
		return "the access point asks to wait too long"
	case 209:
		return "security association query timed out"
	case 210:
		return "no access point with a security both support"
	case 211:
		return "no access point with the security asked for"
	case 212:
		return "no access point with enough signal"
	}
	return "reason not known"
}
