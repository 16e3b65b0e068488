package host_test

import (
	"os"
	"testing"

	"memaudit.example/memaudit/internal/source/host/hosttest"
)

func TestMain(m *testing.M) {
	hosttest.InMemory()
	os.Exit(m.Run())
}
