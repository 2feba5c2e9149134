// Package servertest is a Temporal server in this process, with its state in a file, for one machine and for tests. It is a module of its
// own: what only runs sessions does not link a server.
package servertest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

// Options are those of a server. There is no zero value for File and Address.
type Options struct {
	File       string   // a SQLite database; it is made where it is missing
	Address    string   // host:port, where clients connect
	Namespaces []string // made where they are missing
	Log        log.Logger
}

// Start starts a server. stop ends it; what it knows stays in the file.
func Start(o Options) (stop func() error, err error) {
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil || net.ParseIP(host) == nil {
		return nil, fmt.Errorf("the address %q is not IP:PORT", o.Address)
	}
	if o.Log == nil {
		o.Log = log.NewNoopLogger()
	}
	c, err := configuration(o.File, host, number)
	if err != nil {
		return nil, err
	}
	database := c.Persistence.DataStores[sqlite.PluginName].SQL
	if _, err := os.Stat(o.File); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(o.File), 0o700); err != nil {
			return nil, err
		}
		if err := schema.SetupSchema(database); err != nil {
			return nil, errors.Join(err, os.Remove(o.File))
		}
	}
	for _, name := range o.Namespaces {
		n, err := schema.NewNamespaceConfig(c.ClusterMetadata.CurrentClusterName, name, false, nil)
		if err == nil {
			err = schema.CreateNamespaces(database, n)
		}
		if err != nil {
			return nil, fmt.Errorf("the namespace %s: %w", name, err)
		}
	}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, service := range c.Services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(net.JoinHostPort(host, strconv.Itoa(service.RPC.GRPCPort)))
	}
	fair := dynamicconfig.StaticClient{dynamicconfig.MatchingEnableFairness.Key(): true} // sessions take turns
	server, err := temporal.NewServer(temporal.WithConfig(c), temporal.WithDynamicConfigClient(fair), temporal.ForServices(temporal.DefaultServices), temporal.WithLogger(o.Log),
		temporal.WithStaticHosts(hosts), temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
		temporal.WithCustomMetricsHandler(metrics.NoopMetricsHandler))
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	return server.Stop, nil
}

// configuration is that of a server of one process. After a failure of power the file may lack the last moments; the journals of sessions,
// which are synced, are then further than their workflows, and the next step finds that out.
func configuration(file, host string, port int) (*config.Config, error) {
	c := &config.Config{Services: map[string]config.Service{}}
	for i, name := range []string{"frontend", "history", "matching", "worker"} {
		rpc := config.RPC{GRPCPort: port, BindOnIP: host}
		if i > 0 {
			free, err := freePort(host)
			if err != nil {
				return nil, err
			}
			rpc.GRPCPort = free
		}
		c.Services[name] = config.Service{RPC: rpc}
	}
	frontend := net.JoinHostPort(host, strconv.Itoa(port))
	c.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: host}
	c.Persistence = config.Persistence{DefaultStore: sqlite.PluginName, VisibilityStore: sqlite.PluginName, NumHistoryShards: 1,
		DataStores: map[string]config.DataStore{sqlite.PluginName: {SQL: &config.SQL{PluginName: sqlite.PluginName, DatabaseName: file,
			ConnectAttributes: map[string]string{"mode": "rwc", "_journal_mode": "wal", "_synchronous": "1"}}}}}
	c.ClusterMetadata = &cluster.Config{FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
		ClusterInformation: map[string]cluster.ClusterInformation{"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend}}}
	c.DCRedirectionPolicy = config.DCRedirectionPolicy{Policy: "noop"}
	c.Archival = config.Archival{History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"}}
	c.PublicClient = config.PublicClient{HostPort: frontend}
	c.NamespaceDefaults = config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
		History: config.HistoryArchivalNamespaceDefaults{State: "disabled"}, Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"}}}
	return c, nil
}

func freePort(host string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// FreeAddress is an address of this machine at which nobody listens.
func FreeAddress() (string, error) {
	port, err := freePort("127.0.0.1")
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}
