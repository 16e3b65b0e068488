module memaudit.example/memaudit/e2e/differential

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/u-root/u-root v0.16.0
	memaudit.example/memaudit v0.0.0
)

require (
	github.com/fxamacker/cbor/v2 v2.10.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

replace memaudit.example/memaudit => ../..
