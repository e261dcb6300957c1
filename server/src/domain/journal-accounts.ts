// The account numbers of a merchant's own books for the SYSCOHADA journal. The defaults are those of the revised chart of
// accounts (2017); a merchant may have its own.

export interface JournalAccounts {
  /** The code of the journal itself. */
  journal: string
  /** The wallet at the network. The chart allows only a debit balance. */
  electronicMoney: string
  customers: string
  fees: string
  taxes: string
  /** Money on its way between the wallet and the bank. */
  transfers: string
  /** Owed by the network: money that it blocks. */
  withheld: string
  /** Owed to the network: what the wallet would be below zero. */
  advances: string
  unexplained: string
}

export const SYSCOHADA: JournalAccounts = {
  journal: 'ME',
  electronicMoney: '552',
  customers: '4111',
  fees: '631',
  taxes: '645',
  transfers: '585',
  withheld: '4711',
  advances: '4712',
  unexplained: '471',
}

const FORM = /^[0-9A-Za-z]{1,12}$/

/** The first that no accounting software would take; undefined when all are valid. */
export const journalFault = (accounts: JournalAccounts): keyof JournalAccounts | undefined =>
  (Object.keys(SYSCOHADA) as (keyof JournalAccounts)[]).find((name) => !FORM.test(accounts[name]))
