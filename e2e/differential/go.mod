module memaudit.example/memaudit/e2e/differential

go 1.26.0

require (
	memaudit.example/memaudit v0.0.0
	github.com/stretchr/testify v1.12.1
	github.com/u-root/u-root v0.16.0
)

require (
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

replace memaudit.example/memaudit => ../..
