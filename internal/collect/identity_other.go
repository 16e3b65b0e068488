//go:build !linux

package collect

// askedAt returns our own readings: there is no running Linux to ask.
func (c *collector) askedAt(_ string, own identity) identity { return own }
