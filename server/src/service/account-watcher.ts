// Tells open pages what has changed in their account. One for a process: a single query a second for all accounts that somebody looks at, however many
// pages that is, and none when nobody does. It sees what other processes do as well.
import type { Clock } from '../domain/clock-and-random.ts'
import type { Database } from '../store/engine/database.ts'
import { type AccountMarks, listMarks } from '../store/figures/summaries.ts'

type Changed = 'payments' | 'deliveries' | 'links' | 'phone' | 'home'

export interface AccountWatcher {
  /** Calls `tell` until the returned function is called; undefined when the account has too many. `ended` is called when the service stops. */
  watch(accountId: string, tell: (changed: Changed) => void, ended: () => void): (() => void) | undefined
  stop(): void
}

const EVERY_MS = 1_000
const MOST_OF_ACCOUNT = 20

interface Page {
  tell(changed: Changed): void
  ended(): void
}

interface Watched {
  pages: Set<Page>
  marks: AccountMarks | undefined
}

export function accountWatcher({ db, clock }: { db: Database; clock: Clock }): AccountWatcher {
  const accounts = new Map<string, Watched>()
  let isLooking = false

  function lookLater(): void {
    if (isLooking || accounts.size === 0) return
    isLooking = true
    clock.after(EVERY_MS, () => void look())
  }

  async function look(): Promise<void> {
    // While the store is away nothing changes that could be shown.
    const found = await (accounts.size === 0 ? [] : listMarks(db, [...accounts.keys()]).catch(() => []))
    for (const marks of found) {
      const account = accounts.get(marks.accountId)
      if (account === undefined) continue
      const before = account.marks
      account.marks = marks
      if (before === undefined) continue
      for (const changed of changesBetween(before, marks)) for (const { tell } of account.pages) tell(changed)
    }
    isLooking = false
    lookLater()
  }

  return {
    watch(accountId, tell, ended) {
      const account = accounts.get(accountId) ?? { pages: new Set(), marks: undefined }
      if (account.pages.size >= MOST_OF_ACCOUNT) return undefined
      const page = { tell, ended }
      account.pages.add(page)
      accounts.set(accountId, account)
      lookLater()
      return () => {
        if (!account.pages.delete(page)) return
        if (account.pages.size === 0) accounts.delete(accountId)
      }
    },
    stop() {
      for (const { pages } of [...accounts.values()]) for (const { ended } of [...pages]) ended()
    },
  }
}

function changesBetween(before: AccountMarks, after: AccountMarks): Changed[] {
  const isMoved = before.lastSequence !== after.lastSequence
  const isNew = before.newestPayment !== after.newestPayment
  const isSent = before.endpoints !== after.endpoints || before.lastReplay !== after.lastReplay
  return [
    ...(isMoved || isNew ? (['payments', 'links', 'phone'] as const) : []),
    ...(isMoved || isSent ? (['deliveries'] as const) : []),
    ...(isNew || before.counted !== after.counted ? (['home'] as const) : []),
  ]
}
