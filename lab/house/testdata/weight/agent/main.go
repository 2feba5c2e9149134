// Command agent asks a model that somebody else makes.
package main

import (
	"context"
	"fmt"

	"rein/agent"
	"rein/model"
)

var m model.Model

func main() { fmt.Println(agent.Ask(context.Background(), &agent.Agent{Model: m}, "hello")) }
