// The refusals of approvals, changes of where money goes, and tasks, with their facts.
import type { NoFacts } from '../refused.ts'

export interface ConsoleRefusals {
  // what wants a second person, and tasks
  approval_not_found: NoFacts
  /** The person who requested it may not approve it. */
  second_person_needed: NoFacts
  /** What the approval relied on has changed since it was requested. */
  approval_outdated: NoFacts
  // changes of where money goes
  money_change_not_found: NoFacts
  second_owner_needed: NoFacts
  /** By another person, in the last seven days: nobody is left to confirm (D-214). */
  owner_removed_lately: NoFacts
  task_not_found: NoFacts
  task_taken: { by: string }
}
