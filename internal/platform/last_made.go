package platform

import "sync/atomic"

// lastMade is what was made of a text last. The second processor of a machine, the next machine
// of a fleet and the daemon's next audit mostly ask for the same.
type lastMade[T any] struct{ last atomic.Pointer[madeOf[T]] }

type madeOf[T any] struct {
	text string
	made T
}

func (l *lastMade[T]) of(text string, make func(string) T) T {
	if last := l.last.Load(); last != nil && last.text == text {
		return last.made
	}
	made := make(text)
	l.last.Store(&madeOf[T]{text, made})
	return made
}
