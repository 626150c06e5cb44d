// Command audit follows the log of a poll until the poll ends, then verifies the result. It shares no code with Tallycast.
// Arguments: http://127.0.0.1:8080/api/poll/<id> [<verifier key>]
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
	"path"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

var poll = os.Args[1]

func main() {
	log.SetFlags(0)
	var about struct {
		Log struct {
			Key   string
			Ended bool
		}
	}
	read("/log", &about)
	verifier := must(note.NewVerifier(append(os.Args[2:], about.Log.Key)[0]))
	var seen []tlog.Tree
	for ended := false; !ended; time.Sleep(time.Second) {
		read("/log", &about)
		ended = about.Log.Ended
		if tree := checkpoint(verifier); len(seen) == 0 || tree != seen[len(seen)-1] {
			prove(tree, seen)
			seen = append(seen, tree)
		}
	}
	count(seen[len(seen)-1])
}

func checkpoint(verifier note.Verifier) (tree tlog.Tree) {
	signed := must(note.Open(get("/log/checkpoint"), note.VerifierList(verifier)))
	var root string
	must(fmt.Sscanf(signed.Text, verifier.Name()+"\n%d\n%s\n", &tree.N, &root))
	tree.Hash = must(tlog.ParseHash(root))
	return tree
}

// prove shows that a tree contains each tree seen before.
func prove(tree tlog.Tree, seen []tlog.Tree) {
	hashes := tlog.TileHashReader(tree, tiles{})
	for _, before := range seen {
		if before.N == 0 {
			continue
		}
		proof := must(tlog.ProveTree(tree.N, before.N, hashes))
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash); err != nil {
			log.Fatalf("the checkpoint of %d does not contain that of %d: %v", tree.N, before.N, err)
		}
	}
	fmt.Printf("checkpoint of %d contains %d before\n", tree.N, len(seen))
}

type tiles map[tlog.Tile][]byte

func (tiles) Height() int                     { return 8 }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (cache tiles) ReadTiles(wanted []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range wanted {
		if cache[tile] == nil {
			cache[tile] = get("/log/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		}
		data = append(data, cache[tile])
	}
	return data, nil
}

// count computes root and counts from the ballots, and compares both with what is published.
func count(tree tlog.Tree) {
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) (found []tlog.Hash, err error) {
		for _, index := range indexes {
			found = append(found, hashes[index])
		}
		return found, nil
	})
	// The answers of each first ballot as they count now; nil for a change.
	present, voided := [][]string{}, []bool{}
	for n := int64(0); n < tree.N; {
		page := json.NewDecoder(bytes.NewReader(get(fmt.Sprintf("/log/entries?from=%d", n+1))))
		for more := true; more && n < tree.N; more = page.More() {
			var ballot struct {
				Sequence int64
				Nonce    []byte
				Answers  []string
				Source   string
				Voided   bool
				Replaces int64
			}
			if err := page.Decode(&ballot); err != nil || ballot.Sequence != n+1 {
				log.Fatalf("no ballot %d: %v %v", n+1, ballot, err)
			}
			choice := strings.Join(ballot.Answers, ",")
			if ballot.Source != "" {
				choice += "\n" + ballot.Source
			}
			if ballot.Replaces != 0 {
				choice += fmt.Sprintf("\n%d", ballot.Replaces)
			}
			entry := sha256.Sum256(fmt.Appendf(ballot.Nonce, "%s\n%d\n%s", path.Base(poll), n+1, choice))
			hashes = append(hashes, must(tlog.StoredHashes(n, entry[:], reader))...)
			n++
			if ballot.Replaces == 0 {
				present, voided = append(present, ballot.Answers), append(voided, ballot.Voided)
				continue
			}
			first := ballot.Replaces - 1
			if first >= n-1 || present[first] == nil {
				log.Fatalf("ballot %d replaces no earlier ballot", n)
			}
			present, voided = append(present, nil), append(voided, false)
			present[first] = ballot.Answers
		}
	}
	voters, votes := 0, map[string]int{}
	for at, answers := range present {
		if voided[at] || len(answers) == 0 {
			continue
		}
		voters++
		for _, answer := range answers {
			votes[answer]++
		}
	}
	var results struct {
		Answers []struct {
			ID    string
			Votes int
		} `json:"poll_answers"`
		Voters int `json:"total_voters"`
	}
	read("", &results)
	equal := must(tlog.TreeHash(tree.N, reader)) == tree.Hash && results.Voters == voters
	for _, answer := range results.Answers {
		equal = equal && answer.Votes == votes[answer.ID]
	}
	if !equal {
		log.Fatalf("%d ballots are not those of the checkpoint or the result: %v, %+v", tree.N, votes, results)
	}
	fmt.Printf("verified %d ballots, %d count\n", tree.N, voters)
}

func get(address string) []byte {
	reply := must(http.Get(poll + address))
	if reply.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", address, reply.Status)
	}
	return must(io.ReadAll(reply.Body))
}

func read(address string, into any) { must(0, json.Unmarshal(get(address), into)) }

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
