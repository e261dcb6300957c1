// A shop in sandbox with payments at one simulated connection, and statements of that connection to import.
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { type ImportedStatement, importStatement } from '../../src/actions/books/import-statement.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { dayOf } from '../../src/domain/business-day.ts'
import type { MerchantKey } from '../../src/domain/caller.ts'
import type { StatementLine } from '../../src/domain/statement.ts'
import { SUCCEEDS } from '../links/payer.ts'
import { granted, TESTER } from './callers.ts'
import { getFrom, order, post } from './service.ts'
import type { VirtualService } from './virtual-service.ts'

export const CONNECTION = { environment: 'sandbox', connection: 'airtel_ne' } as const

type Balances = { openingXof: number; closingXof: number }

export async function openShopBooks(service: VirtualService) {
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const key: MerchantKey = { is: 'merchant_key', accountId, environment: 'sandbox', keyId: 'key_1', kind: 'secret' }

  async function settled(msisdn = SUCCEEDS, amount = 1_500): Promise<string> {
    const { body } = await post(service, secretKey, order({ msisdn, amount }))
    await service.clock.advance(10_000)
    return body.reference as string
  }

  return {
    key,
    settled,
    async refunded(): Promise<{ reference: string; refundReference: string }> {
      const reference = await settled()
      const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
      await service.clock.advance(20_000)
      return { reference, refundReference }
    },
    lineOf: (ourReference: string, changes: Partial<StatementLine> = {}): StatementLine => ({
      ...{ line: 1, bookedAt: service.clock.now(), day: dayOf(service.clock.now()), type: 'collection' },
      ...{ amountXof: 1_500, feeXof: 0, taxXof: 0, balanceXof: null, networkReference: '', ourReference },
      ...{ counterparty: '', text: '', ...changes },
    }),
    run: (lines: readonly StatementLine[], more?: Partial<Balances> & { isDryRun?: boolean }) =>
      importLines(service, lines, more),
    /** What the merchant sees, without the amounts that are 0. */
    async balance(): Promise<Record<string, number>> {
      const { connections: _, ...where } = (await getFrom(service, secretKey, '/balance')).body
      return Object.fromEntries(Object.entries(where as Record<string, number>).filter(([, amount]) => amount !== 0))
    },
    async openKinds(): Promise<string[]> {
      return (await listExceptions(service, key)).rows.map(({ kind }) => kind).sort()
    },
  }
}

export type ShopBooks = Awaited<ReturnType<typeof openShopBooks>>

let files = 0

export async function importLines(
  service: VirtualService,
  lines: readonly StatementLine[],
  { isDryRun = false, openingXof, closingXof }: Partial<Balances> & { isDryRun?: boolean } = {},
): Promise<ImportedStatement> {
  const [days, times] = [lines.map(({ day }) => day), lines.map(({ bookedAt }) => bookedAt)]
  const balances = { lines: lines.length, openingXof: openingXof ?? null, closingXof: closingXof ?? null }
  const statement = {
    ...{ ...CONNECTION, name: 'september.csv', bytes: 1, isDryRun, sha256: `kit ${++files}` },
    totals: {
      ...{ ...balances, firstDay: Math.min(...days), lastDay: Math.max(...days) },
      ...{ firstAt: Math.min(...times), lastAt: Math.max(...times) },
    },
    lines: (async function* () {
      yield* lines
    })(),
  }
  return granted(await importStatement({ ...service, isConnected: () => true }, TESTER, statement))
}
