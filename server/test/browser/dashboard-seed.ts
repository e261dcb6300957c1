// A scripted service for tests of the dashboard's pages: merchants and staff, with payments in
// every state, links, refunds, webhooks, statements, differences and tasks. The service's own
// routes and actions make all of it on a virtual clock. Then a real server opens the store, without
// a worker: what was made stays as it is.
import assert from 'node:assert/strict'
import type { Email } from '../../src/actions/emails/emails.ts'
import { SYSCOHADA } from '../../src/domain/books/account-statement.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { openService } from '../../src/service/compose.ts'
import type { Reaction } from '../../src/simulator/network.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { insertRefund, leaveToPerson } from '../../src/store/payments/refunds.ts'
import { insertMember } from '../../src/store/people/members.ts'
import { makeConnection } from '../flows/owned-things.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { ask, fillFile, type SignedIn, signedIn } from '../kit/people.ts'
import { getFrom, openTestService, order, post, type TestService } from '../kit/service.ts'
import { importLines } from '../kit/shop-books.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { onPage, toProvider } from '../links/payer.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const BEGAN_BEFORE = 22 * HOUR
const REAL_NOW = Date.now()
const SUSPENDED_FOR = 'Trop de réclamations en octobre : appelez-nous.'
/** A shared wallet of the service. */
const SERVICES_OWN = 'airtel_ne'

/** What the pages of one account name in their addresses. */
export interface SeededAccount {
  accountId: string
  payment: string
  link: string
  settlement: string
  receivedSettlement: string
  connection: string
  /** Of its movements. */
  day: string
}

export type Who = 'owner' | 'newcomer' | 'accountant' | 'cashier' | 'viewer' | 'administrator'

export interface Seed {
  people: Record<Who, SignedIn>
  live: SeededAccount
  sandbox: SeededAccount
  suspended: { accountId: string }
  newcomers: { accountId: string }
  merchantId: string
  /** Of emails to people who have no session. */
  tokens: Record<'confirm' | 'reset' | 'invitation', string>
}

/** The number of a payer that the staff search for. */
export const SOUGHT = '96771234'

const PAYERS = [
  'Awa Diallo',
  'Moussa Ibrahim',
  'Koffi Agbo',
  'Abdoul-Razak Maïga Souleymane',
  'Zeinabou Issa',
]
const FAILURES = ['insufficient_funds', 'declined', 'expired', 'operator_error'] as const
const HOOK = 'https://www.boutique-awa.example/karba/webhooks'

type Account = { accountId: string; secretKey: string; environment: 'sandbox' | 'live' }

const DECLINED = (reason: string): Reaction => ({ answer: { status: 'declined', reason } })

/** A call that the person may make; its answer. */
async function done(
  service: Pick<TestService, 'app'>,
  call: string,
  who: SignedIn | undefined,
  body: object = {},
) {
  const answer = await ask(service, call, who, body)
  assert.equal(answer.code, 200, `${call}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function pay(
  service: VirtualService,
  { secretKey }: Account,
  change: Record<string, unknown>,
  reaction?: Reaction,
): Promise<string> {
  service.network.change = (own) => reaction ?? own
  const { code, body } = await post(service, secretKey, order(change))
  assert.equal(code, 200, JSON.stringify(body))
  await service.clock.advance(5_000)
  service.network.change = (own) => own
  return body.reference as string
}

/** More than one page of them, over half a day. */
async function makePayments(service: VirtualService, account: Account): Promise<string[]> {
  const paid: string[] = []
  for (let nth = 0; nth < 30; nth++) {
    const reason = FAILURES[Math.floor(nth / 5) % FAILURES.length] ?? 'declined'
    const change = {
      amount: ((nth * 7_919) % 180) * 250 + 500,
      msisdn: nth === 7 ? SOUGHT : `9612${String(3_000 + nth * 37)}`,
      customer_name: PAYERS[nth % PAYERS.length],
      metadata: { table: String(nth), vendeuse: 'Ramatou' },
    }
    const reference = await pay(
      service,
      account,
      change,
      nth % 5 === 4 ? DECLINED(reason) : undefined,
    )
    if (nth % 5 !== 4) paid.push(reference)
    await service.clock.sleep(15 * MINUTE)
  }
  await getFrom(service, account.secretKey, '/payments/none')
  return paid
}

async function makeRefunds(
  service: VirtualService,
  { accountId }: Account,
  owner: SignedIn,
  paid: readonly string[],
): Promise<void> {
  const [whole, inPart] = paid
  const at = `POST /accounts/${accountId}/payments`
  await done(service, `${at}/${whole}/refund`, owner)
  await done(service, `${at}/${inPart}/refund`, owner, { amount: 250, refundId: 'retour-1' })
  await service.clock.advance(10_000)
}

async function makeLinks(service: VirtualService, { accountId }: Account, who: SignedIn) {
  const make = (body: object) => done(service, `POST /accounts/${accountId}/links`, who, body)
  const poster = await make({
    title: 'Don libre pour l’école de Tillabéri',
    description: 'Pour l’année scolaire 2026-2027, deux enfants.',
    suggestedAmounts: [1_000, 2_000, 5_000],
    reusable: true,
  })
  const single = await make({ title: 'Commande 118', amount: 12_500 })
  await toProvider(service, single.reference, onPage('wallet'))
  const closed = await make({ title: 'Abonnement novembre', amount: 6_500 })
  await done(service, `POST /accounts/${accountId}/links/${closed.reference}/close`, who)
  return poster.reference as string
}

async function makeForDevelopers(service: VirtualService, account: Account, owner: SignedIn) {
  const at = `/accounts/${account.accountId}`
  await done(service, `POST ${at}/keys`, owner, { name: 'Site web' })
  await done(service, `POST ${at}/keys`, owner, { kind: 'public', name: 'Boutons' })
  const { key } = await done(service, `POST ${at}/keys`, owner, {
    name: 'Comptabilité',
    permissions: ['read'],
    networks: ['203.0.113.7', '203.0.113.128/25'],
  })
  await done(service, `POST ${at}/keys/${key.keyId}/roll`, owner)
  await done(service, `POST ${at}/endpoints`, owner, { url: HOOK })
  const { endpoint } = await done(service, `POST ${at}/endpoints`, owner, {
    url: 'https://compta.example/hooks/9f2c',
    events: ['payment.succeeded', 'payment.refunded'],
  })
  await done(service, `PATCH ${at}/endpoints/${endpoint.endpointId}`, owner, { state: 'paused' })
}

/** Two statements: of the shared wallet and of the merchant's own connection. */
async function makeBooks(service: VirtualService, account: Account, paid: readonly string[]) {
  const { environment, accountId } = account
  const bookedAt = service.clock.now() - DAY
  const line = (changes: Partial<StatementLine>): StatementLine => ({
    line: 1,
    bookedAt,
    day: dayOf(bookedAt),
    type: 'collection',
    amountXof: 1_500,
    feeXof: 0,
    taxXof: 0,
    balanceXof: null,
    networkReference: '',
    ourReference: '',
    counterparty: '',
    text: '',
    ...changes,
  })
  const collected = await Promise.all(
    paid.slice(2, 12).map(async (reference, nth) => {
      const { amountXof } = await paymentOf(service, reference)
      return line({
        ourReference: reference,
        amountXof: nth === 0 ? amountXof + 500 : amountXof,
        feeXof: Math.ceil(amountXof / 50),
        networkReference: `MP2411.${nth}`,
      })
    }),
  )
  const connection = await makeConnection(service, accountId, environment)
  await importLines(
    service,
    [
      ...collected,
      line({ amountXof: 9_750, networkReference: 'MP-UNKNOWN', text: 'Merchant Payment' }),
      line({ type: 'settlement', amountXof: -20_000, networkReference: 'SWEEP-1' }),
    ],
    { environment, connection: SERVICES_OWN, name: `Airtel_${environment}.csv` },
  )
  await importLines(
    service,
    [
      line({ type: 'top_up', amountXof: 50_000, text: 'Approvisionnement' }),
      line({ type: 'top_up', amountXof: 25_000, text: 'Autre approvisionnement' }),
      line({ type: 'settlement', amountXof: -15_000, networkReference: 'SWEEP-2' }),
      line({ type: 'settlement', amountXof: -10_000, networkReference: 'SWEEP-3' }),
    ],
    { environment, connection, name: `pawaPay_${environment}.csv` },
  )
  return connection
}

async function closeOneDifference(service: VirtualService, at: string, owner: SignedIn) {
  const { rows } = await done(service, `GET ${at}/books/differences`, owner)
  const { differenceId } = rows.find(({ isOwn }: { isOwn: boolean }) => isOwn)
  await done(service, `POST ${at}/books/differences/${differenceId}/close`, owner, {
    reason: 'other_income',
    note: 'Le réseau confirme par e-mail que le versement est arrivé.',
  })
}

async function confirmSettlement(
  service: VirtualService,
  at: string,
  owner: SignedIn,
  connection: string,
) {
  const { rows } = await done(service, `GET ${at}/settlements`, owner)
  const [settlement, received] = rows
    .filter((row: { connection: string }) => row.connection === connection)
    .map((row: { settlement: string }) => row.settlement)
  await done(service, `POST ${at}/settlements/${encodeURIComponent(received)}/confirm`, owner, {
    amount: 9_900,
    reference: 'VIR-88213',
  })
  return { settlement, receivedSettlement: received }
}

async function makeAccount(
  service: VirtualService,
  account: Account,
  owner: SignedIn,
): Promise<SeededAccount> {
  const at = `/accounts/${account.accountId}`
  await makeForDevelopers(service, account, owner)
  const link = await makeLinks(service, account, owner)
  const paid = await makePayments(service, account)
  await makeRefunds(service, account, owner, paid)
  const connection = await makeBooks(service, account, paid)
  await closeOneDifference(service, at, owner)
  const settlements = await confirmSettlement(service, at, owner, connection)
  return {
    accountId: account.accountId,
    payment: paid[1] as string,
    link,
    connection,
    day: dayText(dayOf(service.clock.now() - DAY)),
    ...settlements,
  }
}

/** One task of each kind that a merchant can cause. */
async function makeTasks(service: VirtualService, account: Account, owner: SignedIn) {
  const large = await pay(service, account, { amount: 850_000, msisdn: '96120001' })
  await done(service, `POST /accounts/${account.accountId}/payments/${large}/refund`, owner)
  const [failed, byHand] = [
    await pay(service, account, { msisdn: '96120002' }, DECLINED('declined')),
    await pay(service, account, { msisdn: '96120003' }),
  ]
  await insertAnomaly(service.db, await paymentOf(service, failed), {
    kind: 'success_after_failure',
    detail: { recorded: 'failed', reported: 'succeeded', operatorReference: 'SIM-LATE' },
    at: service.clock.now(),
  })
  const { accountId, number } = await paymentOf(service, byHand)
  const refund = {
    accountId,
    number,
    refundReference: byHand,
    amountXof: 1_500,
    requestedBy: 'tester',
    createdAt: service.clock.now(),
  }
  await insertRefund(service.db, refund)
  await leaveToPerson(service.db, refund, {
    since: service.clock.now(),
    why: 'the network has no call for it',
  })
  await pay(service, account, { msisdn: '96120004' }, { does: 'hang' })
  await service.clock.sleep(2 * HOUR)
}

async function makeTeam(service: VirtualService, merchantId: string, owner: SignedIn, at: string) {
  const as = (role: 'accountant' | 'cashier' | 'viewer' | 'developer', name: string) =>
    signedIn(service, { at: merchantId, as: role }, name)
  const developer = await as('developer', 'Moussa Ibrahim')
  await done(service, `POST ${at}/team/${developer.personId}/role`, owner, { role: 'viewer' })
  await done(service, `POST ${at}/invitations`, owner, {
    email: 'koffi@comptable.example',
    role: 'viewer',
  })
  return {
    accountant: await as('accountant', 'Koffi Mensah'),
    cashier: await as('cashier', 'Ramatou Saley'),
    viewer: await as('viewer', 'Zeinabou Issa'),
  }
}

async function makeSettings(service: VirtualService, at: string, owner: SignedIn) {
  await done(service, `PUT ${at}/settings/brand`, owner, {
    name: 'Boutique Awa',
    colour: '#0f6b45',
    phone: '+227 90 12 34 56',
  })
  await done(service, `PUT ${at}/settings/sites`, owner, {
    sites: ['https://www.boutique-awa.example'],
  })
  await done(service, `PUT ${at}/journal-accounts`, owner, { ...SYSCOHADA, journal: 'MOMO' })
}

async function makeForStaff(
  service: VirtualService,
  administrator: SignedIn,
  merchantId: string,
): Promise<void> {
  const second = await signedIn(service, { forServiceAs: 'administrator' }, 'Salamatou Adamou')
  const asking = await service.merchant({ name: 'Pharmacie du Plateau', validateLive: false })
  const owner = await signedIn(service, { at: asking.merchantId, as: 'owner' })
  const { accountId } = asking.accounts.live
  await fillFile(service, owner, accountId)
  await done(service, `POST /accounts/${accountId}/validation`, owner)
  const status = `POST /console/merchants/${asking.merchantId}/live/status`
  await done(service, status, second, { status: 'validated', reason: 'Dossier complet' })
  const filed = await service.merchant({ name: 'Transport Rimbo', validateLive: false })
  const filer = await signedIn(service, { at: filed.merchantId, as: 'owner' })
  await fillFile(service, filer, filed.accounts.live.accountId)
  await done(service, `POST /accounts/${filed.accounts.live.accountId}/validation`, filer)
  await done(service, 'POST /console/connections/live/moov_bj/pause', administrator, {
    reason: 'Maintenance annoncée',
  })
  await done(service, `POST /console/merchants/${merchantId}/view`, administrator, {
    reason: 'La boutique a appelé.',
  })
  await done(service, 'POST /viewing/end', administrator)
}

/** The owner of Boutique Awa is a viewer at a merchant whose live account is suspended. */
async function makeSuspended(service: VirtualService, owner: SignedIn, administrator: SignedIn) {
  const { merchantId, accounts } = await service.merchant({
    name: 'École Les Étoiles de Tillabéri',
  })
  const { personId } = owner
  await insertMember(service.db, {
    merchantId,
    personId,
    role: 'viewer',
    createdAt: service.clock.now(),
  })
  await done(service, `POST /console/merchants/${merchantId}/live/status`, administrator, {
    status: 'suspended',
    reason: SUSPENDED_FOR,
  })
  return { accountId: accounts.live.accountId }
}

const NEWCOMER = {
  name: 'Idrissa Boubé',
  email: 'idrissa@example.com',
  password: 'trois théières bleues',
  merchantName: 'Quincaillerie Idrissa',
  language: 'fr',
}

/** Signs up, and does not confirm the address. */
async function signUp(service: VirtualService) {
  const { body, headers } = await ask(service, 'POST /sign-up', undefined, NEWCOMER)
  const [merchant] = body.merchants
  const cookie = String(headers['set-cookie']).split(';')[0] as string
  return {
    newcomer: { personId: body.person.personId, email: NEWCOMER.email, sessionId: '', cookie },
    newcomers: { accountId: merchant.accounts[0].accountId as string },
  }
}

async function tokensOf(service: VirtualService, { email }: SignedIn, emails: readonly Email[]) {
  await done(service, 'POST /password/forgotten', undefined, { email })
  await service.clock.advance(10_000)
  const tokenIn = (page: string): string => {
    const found = emails.findLast(({ text }) => text.includes(`/dashboard/${page}#`))
    const token = new RegExp(`/dashboard/${page}#(\\S+)`).exec(found?.text ?? '')?.[1]
    assert.ok(token, `no email has the address of ${page}`)
    return token
  }
  return {
    confirm: tokenIn('confirm'),
    reset: tokenIn('reset'),
    invitation: tokenIn('invitation'),
  }
}

/** Sessions of staff end after an idle hour: theirs come last. */
async function seed(service: VirtualService, emails: readonly Email[]): Promise<Seed> {
  const { merchantId, accounts } = await service.merchant({ name: 'Boutique Awa' })
  const owner = await signedIn(service, { at: merchantId, as: 'owner' })
  const [live, sandbox] = [
    { ...accounts.live, environment: 'live' },
    { ...accounts.sandbox, environment: 'sandbox' },
  ] as const
  const at = `/accounts/${live.accountId}`
  await makeSettings(service, at, owner)
  const seeded = {
    live: await makeAccount(service, live, owner),
    sandbox: await makeAccount(service, sandbox, owner),
  }
  await makeTasks(service, live, owner)
  await service.clock.sleep(REAL_NOW - service.clock.now())
  const team = await makeTeam(service, merchantId, owner, at)
  await done(service, `POST /accounts/${sandbox.accountId}/phone`, owner)
  const administrator = await signedIn(service, { forServiceAs: 'administrator' }, 'Ibrahim Moussa')
  await makeForStaff(service, administrator, merchantId)
  const suspended = await makeSuspended(service, owner, administrator)
  const { newcomer, newcomers } = await signUp(service)
  return {
    ...seeded,
    merchantId,
    suspended,
    newcomers,
    people: { owner, administrator, newcomer, ...team },
    tokens: await tokensOf(service, owner, emails),
  }
}

/** A service that answers from the seeded store, and its address. */
export type SeededService = Seed & { url: string; close(): Promise<void> }

export async function openSeededService(): Promise<SeededService> {
  const emails: Email[] = []
  const mailSender = {
    send: async (sent: Email) => void emails.push(sent),
    close: async () => {},
  }
  const attempt = {
    status: 401,
    durationMs: 140,
    answer: '<h1>Unauthorized</h1>',
    error: null,
    retryAfterMs: null,
  }
  const sender = { send: async () => attempt, close: async () => {} }
  const seeding = await openVirtualService(
    SQLITE,
    {},
    { mailSender, sender, startAt: Date.now() - BEGAN_BEFORE },
  )
  const made = await seed(seeding, emails)
  await seeding.clock.advanceUntil('end of the seed', seeding.close())
  const service = await openService({ ...seeding.place.config, role: 'api' })
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  return {
    ...made,
    url,
    close: async () => {
      service.app.server.closeAllConnections()
      await service.close()
      await seeding.place.remove()
    },
  }
}

/** A service with an owner and staff, and nothing else. */
export async function openEmptyService() {
  const service = await openTestService(SQLITE, { KARBA_ROLE: 'api' })
  const { merchantId, accounts } = await service.merchant({ validateLive: false })
  const people = {
    owner: await signedIn(service, { at: merchantId, as: 'owner' }),
    administrator: await signedIn(service, { forServiceAs: 'administrator' }),
  }
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    people,
    merchantId,
    live: accounts.live.accountId,
    sandbox: accounts.sandbox.accountId,
    close: async () => {
      service.app.server.closeAllConnections()
      await service.remove()
    },
  }
}
