package topology
func (pl *placer) applyEDAC() {}
