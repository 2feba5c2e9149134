// Package trust keeps which content of a folder the user lets a session obey: instructions, skills, agents, commands,
// hooks, MCP servers. A cloned repository may be anybody's, so until the user trusts it, nothing of the work tree is
// executed, expanded or obeyed. Trust is bound to the content: a file that changes is not trusted until the user was asked
// again.
//
// A feature that obeys a file of the work tree does two things. It has a row for the file in [table], so that the question
// to the user lists the file. And before it obeys the file it asks, with exactly the bytes that it is about to obey:
//
//	text, err := folder.Read(".mcp.json")                     // never leaves the folder, also through a link
//	if err == nil && folder.Trusted(MCP, ".mcp.json", text) { … }
//
// For a directory that is obeyed as a whole (a skill with its scripts) the bytes are those of [Folder.Tree].
//
// Files of the user's own directories need no question: they are the user's. What only tightens (rules that deny or ask) is
// obeyed without trust, too.
//
// One file below the state directory holds what was answered about one folder. A front end asks the user: see Folder.Found,
// Folder.Accept and Folder.Decline. Nobody is asked twice about the same content. Where nobody can be asked, the flag
// --trust accepts what is there, and the user's setting trustedFolders names folders that are trusted whatever they hold.
package trust
