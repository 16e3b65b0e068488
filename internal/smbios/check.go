package smbios

func (t *Table) checkCount()   {}
func (t *Table) checkHandles() {}
func (t *Table) checkFields()  {}
