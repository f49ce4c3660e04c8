// Receives Waybill's registrations: Go 1.18 or newer, standard library alone, one file.
// To run it, and what Waybill's configuration has (the token is the same text as in the file "token"):
//
//	RECEIVER_TOKEN_FILE=token RECEIVER_DATABASE=documents.jsonl RECEIVER_PORT=8080 go run receiver.go
//
//	[backend.main]
//	url   = "http://127.0.0.1:8080/documents"
//	token = { file = "/etc/waybill/keys/backend-token" }
//
// Each line of the file is a document with its Idempotency-Key: one write, so a crash leaves both or neither.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

type document struct {
	Number      int
	ID          string // the Idempotency-Key
	Fingerprint [sha256.Size]byte
	Fields      struct{ Link, Name string }
}

func try[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err) // without an answer, Waybill tries again
	}
	return value
}

func main() {
	path, token := os.Getenv("RECEIVER_DATABASE"), "Bearer "+strings.TrimSpace(string(try(os.ReadFile(os.Getenv("RECEIVER_TOKEN_FILE")))))
	file := try(os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|os.O_SYNC, 0o600)) // each write is on disk when it returns
	try(0, syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))             // one process for one file
	text := try(io.ReadAll(file))
	text = text[:bytes.LastIndexByte(text, '\n')+1] // a line without its end was never answered: it is cut off
	try(0, file.Truncate(int64(len(text))))
	try(0, file.Sync())
	try(0, try(os.Open(filepath.Dir(path))).Sync()) // the name of a new file is on disk too
	documents := map[string]document{}
	for lines := json.NewDecoder(bytes.NewReader(text)); lines.More(); {
		var d document
		try(0, lines.Decode(&d))
		documents[d.ID] = d
	}
	var mutex sync.Mutex

	http.HandleFunc("/documents", func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, 32<<20)) // Waybill sends no larger body
		d := document{ID: strings.Trim(request.Header.Get("Idempotency-Key"), `"`), Fingerprint: sha256.Sum256(body)}
		sent := sha256.Sum256([]byte(request.Header.Get("Authorization"))) // hashes tell nothing by the time that they take to compare
		switch {
		case err != nil:
			http.Error(writer, "the body is too large or incomplete", 413)
		case request.Method != "POST":
			http.Error(writer, "registrations come by POST", 405)
		case sent != sha256.Sum256([]byte(token)):
			http.Error(writer, "the token is wrong", 401)
		case d.ID == "" || json.Unmarshal(body, &d.Fields) != nil || d.Fields.Link == "" || d.Fields.Name == "":
			http.Error(writer, "this is no registration: link, name and an Idempotency-Key are needed", 400)
		default:
			mutex.Lock() // a second request with this key waits here
			defer mutex.Unlock()
			if done, known := documents[d.ID]; !known {
				d.Number = len(documents) + 1
				try(file.Write(append(try(json.Marshal(d)), '\n')))
				documents[d.ID] = d
			} else if done.Fingerprint != d.Fingerprint {
				http.Error(writer, "this Idempotency-Key came with another body before", 422)
				return
			}
			writer.Header().Set("Content-Type", "application/json")
			writer.WriteHeader(201)
			fmt.Fprintf(writer, `{"number":%d}`, documents[d.ID].Number)
		}
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("RECEIVER_PORT"), nil))
}
