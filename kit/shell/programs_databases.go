package shell

import (
	"strconv"
	"strings"

	"rein/guard/effect"
)

// databaseClient is how a client of a server names it.
type databaseClient struct {
	port     int    // where the server listens, unless the call names another port
	flag     string // the option that names another port
	loopback bool   // without a host it is this machine by TCP; else it may be a socket, or what a file of settings names
}

// databaseClients are clients of servers of databases.
var databaseClients = map[string]databaseClient{
	"psql": {5432, "-p", false}, "pgcli": {5432, "-p", false}, "pg_dump": {5432, "-p", false}, "pg_dumpall": {5432, "-p", false}, "pg_isready": {5432, "-p", false}, "pgbench": {5432, "-p", false},
	"mysql": {3306, "-P", false}, "mariadb": {3306, "-P", false}, "mycli": {3306, "-P", false}, "mysqldump": {3306, "-P", false}, "mariadb-dump": {3306, "-P", false},
	"redis-cli": {6379, "-p", true}, "valkey-cli": {6379, "-p", true}, "iredis": {6379, "-p", true},
	"mongo": {27017, "--port", true}, "mongosh": {27017, "--port", true}, "mongodump": {27017, "--port", true}, "mongoexport": {27017, "--port", true},
	"clickhouse-client": {9000, "--port", true}, "cqlsh": {9042, "--port", true},
}

// serverProgram reads a client of a database that does only what its row says.
func serverProgram(r *programs, _ *scope, c *call) (data, bool) {
	databaseServer(r, c)
	return data{}, false
}

// databaseServer notes the server that a client of a database contacts, where the call names it.
func databaseServer(r *programs, c *call) {
	client, ok := databaseClients[c.Name]
	if !ok {
		return
	}
	port, host := client.port, ""
	if client.loopback {
		host = "localhost"
	}
	words := c.Argv[1:]
	for i, v := range words {
		name, value, has := strings.Cut(v.Text, "=")
		if !has && i+1 < len(words) {
			value = words[i+1].Text
		}
		switch {
		case strings.Contains(v.Text, "://"):
			at := effect.ContactOf(v.Text)
			if host = at.Host; at.Port != 0 {
				port = at.Port
			}
		case name == "-h" || name == "--host" || name == "host":
			host = effect.HostOf(value)
		case name == client.flag || name == "--port" || name == "port":
			if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 1<<16 {
				port = n
			}
		case strings.HasPrefix(v.Text, "-h") && len(v.Text) > 2 && v.Text[2] != 'e': // -hlocalhost, not -help
			host = effect.HostOf(v.Text[2:])
		}
	}
	if host != "" && !strings.Contains(host, "/") {
		r.Reaches(effect.Contact{Host: host, Port: port})
		r.Metadata(host)
	}
}
