// A shop in sandbox with payments at one simulated connection, and statements of that connection to
// import.

import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { importStatement } from '../../src/actions/books/import-statement.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { ImportedStatement } from '../../src/domain/books/matching.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import type { Environment } from '../../src/domain/environment.ts'
import { SUCCEEDS } from '../links/payer.ts'
import { granted, merchantKey, TESTER } from './callers.ts'
import { getFrom } from './service.ts'
import { settledPayment, type VirtualService } from './virtual-service.ts'

export const CONNECTION = { environment: 'sandbox', connection: 'airtel_ne' } as const

type Balances = { openingXof: number; closingXof: number }
type ImportOptions = {
  isDryRun?: boolean
  hasFeeColumn?: boolean
  sha256?: string
  connection?: string
  environment?: Environment
  name?: string
}

export async function openShopBooks(service: VirtualService) {
  const { merchantId, accounts } = await service.merchant()
  const { accountId, secretKey } = accounts.sandbox
  const key = merchantKey(accountId)

  const settled = (msisdn = SUCCEEDS, amount = 1_500): Promise<string> =>
    settledPayment(service, secretKey, { msisdn, amount })

  return {
    merchantId,
    accountId,
    secretKey,
    key,
    settled,
    async refunded(): Promise<{ reference: string; refundReference: string }> {
      const reference = await settled()
      const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
      await service.clock.advance(6_000)
      return { reference, refundReference }
    },
    lineOf: (ourReference: string, changes: Partial<StatementLine> = {}): StatementLine => ({
      line: 1,
      bookedAt: service.clock.now(),
      day: dayOf(service.clock.now()),
      type: 'collection',
      amountXof: 1_500,
      feeXof: 0,
      taxXof: 0,
      balanceXof: null,
      networkReference: '',
      ourReference,
      counterparty: '',
      text: '',
      ...changes,
    }),
    run: (lines: readonly StatementLine[], more?: Partial<Balances> & ImportOptions) =>
      importLines(service, lines, more),
    balance: () => balanceOf(service, secretKey),
    async openKinds(): Promise<string[]> {
      return (await listExceptions(service, key)).rows.map(({ kind }) => kind).sort()
    },
  }
}

/**
 * What the merchant sees, without the amounts that are 0. The wallet is the merchant's own or a
 * shared one.
 */
export async function balanceOf(
  service: VirtualService,
  secretKey: string,
): Promise<Record<string, number>> {
  const {
    connections: _,
    at_service: atService,
    ...own
  } = (await getFrom(service, secretKey, '/balance')).body
  const where = { ...own, in_wallet: (own.in_wallet as number) + (atService as number) }
  return Object.fromEntries(
    Object.entries(where as Record<string, number>).filter(([, amount]) => amount !== 0),
  )
}

export type ShopBooks = Awaited<ReturnType<typeof openShopBooks>>

let files = 0

export async function importLines(
  service: VirtualService,
  lines: readonly StatementLine[],
  { openingXof, closingXof, ...more }: Partial<Balances> & ImportOptions = {},
): Promise<ImportedStatement> {
  const [days, times] = [lines.map(({ day }) => day), lines.map(({ bookedAt }) => bookedAt)]
  const extent = { firstAt: Math.min(...times, times[0] ?? 0), lastAt: Math.max(...times, 0) }
  const balances = {
    lines: lines.length,
    openingXof: openingXof ?? null,
    closingXof: closingXof ?? null,
  }
  const statement = {
    ...CONNECTION,
    name: 'september.csv',
    bytes: 1,
    sha256: `kit ${++files}`,
    isDryRun: false,
    hasFeeColumn: true,
    ...more,
    totals: {
      ...balances,
      firstDay: Math.min(...days, days[0] ?? 0),
      lastDay: Math.max(...days, 0),
      ...extent,
    },
    lines: (async function* () {
      yield* lines
    })(),
  }
  return granted(await importStatement({ ...service, isConnected: () => true }, TESTER, statement))
}
