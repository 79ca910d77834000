// Command baseline is the yardstick of scripts/load.sh: a server that does nothing but
// answer. It gives to each request the bytes and headers that the real server gave
// to the same one, through net/http and nothing else. What the real server takes
// beyond it is what routing, reading the question, looking it up and writing the
// answer cost.
//
//	baseline record URL ANSWERS <LIST   ask the server at URL each request of the list, and keep the answers
//	baseline serve ANSWERS              answer as recorded; the address is printed
//
// A list has one request a line: a method, a target and, after a POST, a body, with
// single spaces between them. Every answer has to be a 200. Two recordings of equal
// answers are equal files. While it serves, /requests tells how many it has answered.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

// answer is one recorded answer. Bodies are in a file of their own.
type answer struct {
	Request        string
	Header         http.Header
	Offset, Length int
}

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 3 && args[0] == "record":
		err = record(args[1], args[2], os.Stdin)
	case len(args) == 2 && args[0] == "serve":
		err = serve(args[1])
	default:
		err = fmt.Errorf("usage: baseline record URL ANSWERS <LIST, or baseline serve ANSWERS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "baseline:", err)
		os.Exit(1)
	}
}

// record writes the headers of the answers into the file at path, and their bodies
// into another one beside it.
func record(url, path string, list io.Reader) error {
	bodies, err := os.Create(path + ".bodies")
	if err != nil {
		return err
	}
	defer bodies.Close()
	// What is asked for uncompressed is to be kept as it comes.
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	var answers []answer
	offset := 0
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		header, body, err := ask(client, url, lines.Text())
		if err != nil {
			return fmt.Errorf("line %d: %w", len(answers)+1, err)
		}
		if _, err := bodies.Write(body); err != nil {
			return err
		}
		answers = append(answers, answer{lines.Text(), header, offset, len(body)})
		offset += len(body)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	index, err := json.Marshal(answers)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, index, 0o644); err != nil {
		return err
	}
	fmt.Println(len(answers))
	return bodies.Close()
}

// ask asks one request of a list.
func ask(client *http.Client, url, line string) (http.Header, []byte, error) {
	method, rest, _ := strings.Cut(line, " ")
	target, question, _ := strings.Cut(rest, " ")
	request, err := http.NewRequest(method, url+target, strings.NewReader(question))
	if err != nil {
		return nil, nil, err
	}
	if question != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK || len(body) == 0 {
		return nil, nil, fmt.Errorf("%s %s answers %s: %.300s", method, target, response.Status, body)
	}
	// The two headers that differ from one answer to the next: net/http writes the
	// date itself, and the request's id may be any of that length.
	response.Header.Del("Date")
	if id := response.Header.Get("X-Request-Id"); id != "" {
		response.Header.Set("X-Request-Id", strings.Repeat("0", len(id)))
	}
	return response.Header, body, nil
}

// serve answers as recorded, until it is ended.
func serve(path string) error {
	index, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var answers []answer
	if err := json.Unmarshal(index, &answers); err != nil {
		return err
	}
	bodies, err := readBodies(path + ".bodies")
	if err != nil {
		return err
	}
	gets, posts := map[string]*answer{}, map[string]*answer{} // by target, and by body
	for i := range answers {
		a := &answers[i]
		method, rest, _ := strings.Cut(a.Request, " ")
		if method == http.MethodPost {
			_, body, _ := strings.Cut(rest, " ")
			posts[body] = a
		} else {
			gets[rest] = a
		}
	}
	var requests atomic.Int64
	handler := func(w http.ResponseWriter, r *http.Request) {
		var a *answer
		if r.Method == http.MethodPost && r.ContentLength >= 0 {
			body := make([]byte, r.ContentLength)
			if _, err := io.ReadFull(r.Body, body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			a = posts[string(body)]
		} else {
			a = gets[r.RequestURI]
		}
		switch {
		case a != nil:
			header := w.Header()
			for name, values := range a.Header {
				header[name] = values
			}
			w.Write(bodies[a.Offset : a.Offset+a.Length])
			requests.Add(1)
		case r.RequestURI == "/requests":
			fmt.Fprintln(w, requests.Load())
		default:
			http.Error(w, "not recorded", http.StatusNotFound)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, http.HandlerFunc(handler))
}
