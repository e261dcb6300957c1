// The refusals of approvals, changes of where money goes, and tasks, as the catalogue has them.
import type { ConsoleRefusals } from '../../domain/refusals/console-refusals.ts'
import type { Rows } from './row.ts'

export const CONSOLE_REFUSALS = {
  approval_not_found: {
    http: 404,
    en: 'This request does not exist, or waits for no approval any more.',
    fr: 'Cette demande n’existe pas ou n’attend plus de validation.',
  },
  second_person_needed: {
    http: 403,
    en: 'A second person must approve this request.',
    fr: 'Une autre personne doit valider cette demande.',
  },
  approval_outdated: {
    http: 409,
    en: 'Something changed since this was requested. Read the changes, then reject it; it can be requested again.',
    fr: 'La situation a changé depuis cette demande. Lisez les changements, puis refusez-la ; elle peut être redemandée.',
  },
  money_change_not_found: {
    http: 404,
    en: 'There is no such change, or it waits for no confirmation any more.',
    fr: 'Ce changement n’existe pas, ou n’attend plus de confirmation.',
  },
  second_owner_needed: {
    http: 403,
    en: 'Another owner must confirm this change.',
    fr: 'Un autre propriétaire doit confirmer ce changement.',
  },
  owner_removed_lately: {
    http: 403,
    en: 'An owner was removed from the team in the last seven days. For seven days nobody can change alone where the money goes; tell us if it is urgent.',
    fr: 'Un propriétaire a été retiré de l’équipe ces sept derniers jours. Pendant ces sept jours, personne ne peut changer seul la destination de l’argent ; prévenez-nous si c’est urgent.',
  },
  task_not_found: { http: 404, en: 'There is no such task.', fr: 'Cette tâche n’existe pas.' },
  task_taken: {
    http: 409,
    en: ({ by }) => `${by} has already taken this task.`,
    fr: ({ by }) => `${by} s’occupe déjà de cette tâche.`,
  },
} as const satisfies Rows<keyof ConsoleRefusals>
