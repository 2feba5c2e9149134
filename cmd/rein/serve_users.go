package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/server"
)

func newServeUsers() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "users",
		Short: "List the users of the server; add and remove them",
		Long: `List the users of the server besides its owner. A viewer reads; an approver also answers approval requests; an operator also
starts and steers sessions. A running server notices changes at once.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, _, err := server.OpenUsers(stateDir(), "")
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "NAME\tROLE\tWORKSPACES")
			for _, u := range s.Users() {
				where := strings.Join(u.Workspaces, ", ")
				if where == "" {
					where = "all"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\n", u.Name, u.Role, where)
			}
			return table.Flush()
		},
	}
	cmd.AddCommand(newServeUsersAdd(), newServeUsersRemove())
	return cmd
}

func newServeUsersAdd() *cobra.Command {
	role := string(server.RoleViewer)
	var workspaces []string
	cmd := &cobra.Command{
		Use:     "add NAME",
		Short:   "Add a user and print the user's key, once",
		Example: "  rein serve users add mei --role approver --workspace ~/src/app",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := server.OpenUsers(stateDir(), "")
			if err != nil {
				return err
			}
			u := server.User{Name: args[0], Role: server.Role(role)}
			for _, dir := range workspaces {
				if dir, err = filepath.Abs(dir); err == nil {
					dir, err = filepath.EvalSymlinks(dir)
				}
				if err != nil {
					return err
				}
				u.Workspaces = append(u.Workspaces, dir)
			}
			key, err := s.Add(u)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
			return err
		},
	}
	cmd.Flags().Var(choiceFlag(&role, "viewer", "approver", "operator"), "role", "viewer, approver or operator")
	cmd.Flags().StringArrayVar(&workspaces, "workspace", nil, "the user sees only this directory (repeat)")
	return cmd
}

func newServeUsersRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a user; the key and the browsers of the user stop working",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, _, err := server.OpenUsers(stateDir(), "")
			if err != nil {
				return err
			}
			if err := s.Remove(args[0]); err != nil {
				return withExitCode(exitInput, err)
			}
			return nil
		},
	}
}
