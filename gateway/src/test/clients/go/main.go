// Client of CompressionClientsIT: checks messages, with coder/websocket and context takeover.
//
// Usage: compression-reader URL TOPIC MESSAGES READERS SLOW
//
// Each of READERS connections receives its part of MESSAGES. It connects again after a random number
// of messages, mostly from its position. The first SLOW of them stop reading at times. Exit code 1
// if a message is changed or missing.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

type frame struct {
	Type    string
	Epoch   string
	Offset  int64
	Payload string
}

// counts of all readers.
type counts struct {
	Messages    int `json:"messages"`
	Connections int `json:"connections"`
	Resumes     int `json:"resumes"`
	Gaps        int `json:"gaps"`
}

type reader struct {
	url      string
	topic    string
	left     int
	most     int
	slow     bool
	position any
	counts   counts
}

func main() {
	var numbers [3]int
	for i := range numbers {
		number, err := strconv.Atoi(os.Args[3+i])
		if err != nil {
			log.Fatal(err)
		}
		numbers[i] = number
	}
	messages, count, slow := numbers[0], numbers[1], numbers[2]
	readers := make([]reader, count)
	var running sync.WaitGroup
	for i := range readers {
		r := &readers[i]
		r.url, r.topic, r.slow = os.Args[1], os.Args[2], i < slow
		r.left = (messages + count - 1) / count
		r.most = max(1, min(4000, r.left/4))
		running.Go(r.read)
	}
	running.Wait()
	var total counts
	for _, r := range readers {
		total.Messages += r.counts.Messages
		total.Connections += r.counts.Connections
		total.Resumes += r.counts.Resumes
		total.Gaps += r.counts.Gaps
	}
	text, _ := json.Marshal(total)
	fmt.Println(string(text))
}

func (r *reader) read() {
	for r.left > 0 {
		if err := r.connect(); err != nil {
			log.Fatal(err)
		}
	}
}

func (r *reader) start() any {
	if r.position != nil && rand.Intn(4) > 0 {
		r.counts.Resumes++
		return r.position
	}
	if rand.Intn(2) > 0 {
		return "snapshot"
	}
	return map[string]int{"last": 50}
}

func (r *reader) connect() error {
	ctx := context.Background()
	socket, _, err := websocket.Dial(ctx, r.url, &websocket.DialOptions{
		Subprotocols:    []string{"sluice.v1.json"},
		CompressionMode: websocket.CompressionContextTakeover,
	})
	if err != nil {
		return err
	}
	defer socket.Close(websocket.StatusNormalClosure, "")
	socket.SetReadLimit(-1)
	r.counts.Connections++
	subscribe, _ := json.Marshal(map[string]any{
		"type": "subscribe", "ref": 1, "topic": r.topic, "from": r.start(),
	})
	if err := socket.Write(ctx, websocket.MessageText, subscribe); err != nil {
		return err
	}
	return r.receive(ctx, socket)
}

func (r *reader) receive(ctx context.Context, socket *websocket.Conn) error {
	end := max(0, r.left-1-rand.Intn(r.most))
	epoch := ""
	expected := int64(-1)
	for r.left > end {
		_, text, err := socket.Read(ctx)
		if err != nil {
			return r.closed(err)
		}
		var f frame
		if err := json.Unmarshal(text, &f); err != nil {
			return err
		}
		switch f.Type {
		case "error":
			return fmt.Errorf("received %s", text)
		case "subscribed":
			epoch = f.Epoch
		case "gap":
			r.counts.Gaps++
			expected = -1
		case "message":
			if expected >= 0 && f.Offset != expected {
				return fmt.Errorf("offset %d instead of %d", f.Offset, expected)
			}
			if err := check(f.Payload); err != nil {
				return err
			}
			expected = f.Offset + 1
			r.position = map[string]any{"epoch": epoch, "offset": f.Offset, "ids": []string{}}
			r.left--
			r.counts.Messages++
			if r.slow && rand.Intn(2000) == 0 {
				time.Sleep(time.Duration(rand.Intn(1500)) * time.Millisecond)
			}
		}
	}
	return nil
}

// The node closes a slow connection, or resets it if it is not read.
func (r *reader) closed(err error) error {
	reset := strings.Contains(err.Error(), "connection reset") || strings.HasSuffix(err.Error(), "EOF")
	if websocket.CloseStatus(err) == 4000 || r.slow && reset {
		return nil
	}
	return err
}

func check(payload string) error {
	head, text, _ := strings.Cut(payload, " CRC=")
	sum, content, found := strings.Cut(text, " ")
	if !found || sum != strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(content))), 10) {
		return fmt.Errorf("message %s is changed: %s", head, payload)
	}
	return nil
}
