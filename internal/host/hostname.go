package host

// hostNameFile is the kernel's name of the machine (proc(5)): that of the reader's
// own UTS namespace, so that a container reads its own.
const hostNameFile = "/proc/sys/kernel/hostname"

// ReadHostName reads the machine's name. Nothing else here does: a name tells a
// machine from its sisters, and is read only when somebody asks for it.
func ReadHostName(root *Root) Value[string] { return newReader(root).text(hostNameFile) }
