package fleet

// Dashboards are all of them, by the name of their file.
func Dashboards() map[string]*Dashboard {
	return map[string]*Dashboard{"memaudit-fleet.json": Overview(), "memaudit-machine.json": Machine()}
}
