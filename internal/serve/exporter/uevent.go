package exporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// kernelGroup is the netlink multicast group of the kernel's own events; udev uses another one.
const kernelGroup = 1

// hotplug sends an event when a CPU, a memory block or a node is added, removed or switched on or off. In containers
// and user namespaces the socket does not exist or receives nothing; then only the interval starts audits.
func hotplug(ctx context.Context, to chan<- auditEvent, log *slog.Logger) {
	file, err := ueventSocket()
	if err != nil {
		log.Info("hotplug is not watched", "error", err)
		return
	}
	context.AfterFunc(ctx, func() { _ = file.Close() })
	go relayMessages(ctx, file, to, log)
}

// relayMessages turns kernel messages, one for each read, into events until it can read no more.
func relayMessages(ctx context.Context, from io.Reader, to chan<- auditEvent, log *slog.Logger) {
	buf := make([]byte, 8<<10) // the kernel's own limit is 2 KiB
	for {
		n, err := from.Read(buf)
		switch {
		case err == nil:
			if why := hotplugged(buf[:n]); why != "" {
				sendEvent(ctx, to, auditEvent{why, false})
			}
		case errors.Is(err, unix.ENOBUFS):
			// Messages were lost, perhaps one of those that matter here.
			sendEvent(ctx, to, auditEvent{"kernel events were lost", false})
		default:
			if ctx.Err() == nil {
				log.Warn("hotplug is no longer watched", "error", err)
			}
			return
		}
	}
}

// ueventSocket opens the kernel's event socket as a file, so that the Go runtime's poller waits for it.
func ueventSocket() (*os.File, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return nil, fmt.Errorf("kernel event socket: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: kernelGroup}); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("kernel event socket: %w", err)
	}
	return os.NewFile(uintptr(fd), "kernel events"), nil
}

// hotplugged describes a kernel message about CPUs, memory or nodes; it is "" for any other message. A message
// is "ACTION@PATH" and then KEY=VALUE pairs, each ended by a zero byte (lib/kobject_uevent.c).
func hotplugged(msg []byte) string {
	var action, subsystem, path string
	for field := range bytes.SplitSeq(msg, []byte{0}) {
		key, value, _ := strings.Cut(string(field), "=")
		switch key {
		case "ACTION":
			action = value
		case "SUBSYSTEM":
			subsystem = value
		case "DEVPATH":
			path = value
		}
	}
	if subsystem != "cpu" && subsystem != "memory" && subsystem != "node" {
		return ""
	}
	switch action {
	case "add", "remove", "online", "offline":
		return subsystem + " " + action + ": " + path
	default:
		return ""
	}
}
