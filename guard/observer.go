package guard

import "rein/tool"

// Observer sees what happens to the calls that guards judge. Guards that remember (loops, refusals, taint) are
// observers: what they see of earlier calls decides how they judge later ones. An observer cannot change a call or its
// verdict. Its methods may be called at once from several goroutines.
//
// A resumed session replays its journal: the observer then sees the earlier calls in their order, as it saw them when
// they happened. The notes of replayed calls are dropped.
type Observer interface {
	// Prompted reports that the user sent a message to the session.
	Prompted(session string)
	// Granted reports that an approver approved the call. It comes before the call runs. Calls that the guards allow
	// without an approver are not reported.
	Granted(c Case, a Answer)
	// Refused reports that an approver denied the call. The call does not run.
	Refused(c Case, a Answer)
	// Ran reports the result of a call that ran. The note is added to the result for the model; "" adds nothing.
	Ran(c Case, r tool.Result) (note string)
}

// Listener is an Observer that also hears what the user says: what is in the user's words does not come from elsewhere.
type Listener interface {
	// Said reports the text of the message that Prompted reported.
	Said(session, text string)
}
