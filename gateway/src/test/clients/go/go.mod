module sluice.test/compression-reader

go 1.25

require github.com/coder/websocket v1.8.15
