package host

// hostNameFile is the kernel's name of the machine (proc(5)): that of the reader's
// own UTS namespace, so that a container reads its own.
const hostNameFile = "/proc/sys/kernel/hostname"

// ReadHostName reads the machine's name. No other function does, because the name identifies the
// machine; it is called only on request.
func ReadHostName(root *Root) Value[string] { return newReader(root).text(hostNameFile) }
