// A merchant as the staff see it: business, documents, team, results, webhooks, its own connections
// to networks, and history. Opening a document is audited, and the merchant sees it.
import { dayOf } from '../../domain/countries/business-day.ts'
import { base32 } from '../../domain/payments/reference.ts'
import type { MerchantPerson, Person, ServicePerson } from '../../domain/people/caller.ts'
import type { Refused, RefusedAs } from '../../domain/refusals/refusal.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/texts/free-text.ts'
import type { ListedEndpoint } from '../../domain/webhooks/webhook-event.ts'
import { insertMerchantAudit, listAudit } from '../../store/audit/audit-log.ts'
import { findLiveApproval } from '../../store/console/tasks.ts'
import type { Queries } from '../../store/engine/database.ts'
import { type Figure, listFigures } from '../../store/figures/summaries.ts'
import { listDocuments, type MerchantDocument } from '../../store/merchants/documents.ts'
import { findProfile } from '../../store/merchants/profiles.ts'
import {
  type AccountOfMerchant,
  findAccountOfMerchant,
  listAccountsOfMerchant,
  listMembers,
  type Member,
} from '../../store/people/members.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import {
  endViewing,
  insertViewing,
  listViewings,
  setViewing,
  type Viewing,
  type ViewingByName,
} from '../../store/people/sessions.ts'
import { listShownEndpoints } from '../../store/webhooks/endpoints.ts'
import { type ListedAudit, namedEntries } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import type { DayFigures } from '../figures/read-home.ts'
import {
  type DocumentDeps,
  type OpenDocument,
  openDocumentOf,
} from '../merchants/keep-documents.ts'
import { type Settings, settingsOf } from '../merchants/profile.ts'
import { connectionsOfAccount, type ShownConnection } from '../operators/merchant-connections.ts'

export interface AccountResults extends DayFigures {
  account: AccountOfMerchant
  /** By operator, over the same days. */
  operators: (Omit<DayFigures, 'collected'> & { operator: string })[]
  endpoints: ListedEndpoint[]
  connections: ShownConnection[]
}

export interface MerchantPage extends Pick<Settings, 'business' | 'validation'> {
  merchantId: string
  name: string
  documents: MerchantDocument[]
  /** The validation that one person gave and that waits for a second one; `askedBy` is a name. */
  approval: { askedBy: string; askedAt: number } | null
  team: Member[]
  /** Sandbox before live. */
  accounts: AccountResults[]
  history: ListedAudit[]
}

export const RESULT_DAYS = 30
const MOST_HISTORY = 20

export async function showMerchant(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  _caller: ServicePerson,
  { merchantId }: { merchantId: string },
): Promise<MerchantPage | RefusedAs<'merchant_not_found'>> {
  const accounts = await listAccountsOfMerchant(db, merchantId)
  const last = accounts.at(-1)
  const profile = last && (await findProfile(db, last.accountId))
  if (last === undefined || profile === undefined) return { refused: 'merchant_not_found' }
  const fromDay = dayOf(clock.now()) - RESULT_DAYS + 1
  // What concerns the whole merchant is in the log of each of its accounts: one log has it once.
  const history = await listAudit(db, last, { since: 0 }, Number.MAX_SAFE_INTEGER, MOST_HISTORY)
  return {
    merchantId,
    name: profile.merchantName,
    ...settingsOf(profile),
    documents: await listDocuments(db, merchantId),
    approval: await approvalOf(db, last.accountId),
    team: await listMembers(db, merchantId),
    accounts: await Promise.all(accounts.map((account) => resultsOf(db, account, fromDay))),
    history: await namedEntries(db, history),
  }
}

async function approvalOf(db: Queries, accountId: string): Promise<MerchantPage['approval']> {
  const approval = await findLiveApproval(db, accountId)
  if (approval === undefined) return null
  const { askedBy, askedAt } = approval
  return { askedBy: (await namesOfPeople(db, [askedBy])).get(askedBy) ?? askedBy, askedAt }
}

async function resultsOf(
  db: Queries,
  account: AccountOfMerchant,
  fromDay: number,
): Promise<AccountResults> {
  // A link without an attempt is no failed payment.
  const figures = (await listFigures(db, account.accountId, fromDay)).filter(
    ({ operator }) => operator !== '',
  )
  const endpoints = await listShownEndpoints(db, account)
  const byOperator = [...Map.groupBy(figures, ({ operator }) => operator)]
  const operators = byOperator.map(([operator, own]) => ({ operator, ...sumOf(own) }))
  const connections = await connectionsOfAccount(db, account)
  return { account, ...sumOf(figures), operators, endpoints, connections }
}

const sumOf = (figures: readonly Figure[]): DayFigures => {
  const sumOf = (outcome: Figure['outcome'], field: 'payments' | 'amountXof'): number =>
    figures.reduce((sum, figure) => sum + (figure.outcome === outcome ? figure[field] : 0), 0)
  return {
    collected: sumOf('succeeded', 'amountXof'),
    succeeded: sumOf('succeeded', 'payments'),
    failed: sumOf('failed', 'payments'),
  }
}

export async function openMerchantDocument(
  deps: DocumentDeps,
  caller: ServicePerson,
  { merchantId, documentId }: { merchantId: string; documentId: string },
): Promise<OpenDocument | Refused> {
  const document = await openDocumentOf(deps, merchantId, documentId)
  if (document === undefined) return { refused: 'document_not_found' }
  const detail = { name: document.name }
  const record = { at: deps.clock.now(), action: 'document.open', subject: documentId, detail }
  await deps.db.transaction((tx) => insertMerchantAudit(tx, caller, merchantId, record))
  return document
}

// One of the staff views a merchant's dashboard, with a reason that the merchant sees, for half an
// hour (ADR-0014).

const VIEWING_MS = 30 * 60_000
const MOST_SHOWN = 100

type ViewDeps = Pick<Deps, 'db' | 'clock' | 'random'>

export async function viewMerchant(
  { db, clock, random }: ViewDeps,
  caller: ServicePerson,
  {
    merchantId,
    sessionId,
    reason: given,
  }: { merchantId: string; reason: string; sessionId: string },
): Promise<Viewing | Refused> {
  const reason = maskCardNumbers(given)
  if (!isPlainText(reason, LONGEST_NOTE))
    return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  return db.transaction(async (tx): Promise<Viewing | Refused> => {
    const accounts = await listAccountsOfMerchant(tx, merchantId)
    if (accounts.length === 0) return { refused: 'merchant_not_found' }
    const at = clock.now()
    const { personId } = caller
    const viewingId = `vie_${base32(random.bytes(10), 16)}`
    const viewing = { viewingId, merchantId, personId, reason, beganAt: at, until: at + VIEWING_MS }
    await insertViewing(tx, viewing)
    await setViewing(tx, sessionId, viewingId)
    const record = { at, action: 'merchant.view', subject: merchantId, detail: { reason } }
    await insertMerchantAudit(tx, caller, merchantId, record)
    return viewing
  })
}

export async function endView(
  { db, clock }: Pick<ViewDeps, 'db' | 'clock'>,
  { sessionId }: Person,
  { viewing }: { viewing: Viewing | null },
): Promise<{ ended: true }> {
  await db.transaction(async (tx) => {
    if (viewing !== null) await endViewing(tx, viewing.viewingId, clock.now())
    await setViewing(tx, sessionId, null)
  })
  return { ended: true }
}

export async function listOwnViewings(
  { db }: Pick<ViewDeps, 'db'>,
  { accountId }: MerchantPerson,
): Promise<{ rows: ViewingByName[] } | RefusedAs<'account_not_found'>> {
  const account = await findAccountOfMerchant(db, accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  return { rows: await listViewings(db, account.merchantId, MOST_SHOWN) }
}
