// The statements of the simulated Airtel Money: the export of its portal, and the summary of transactions by API.
// Fact, from public clients of the API: path, query and fields of the summary, times in milliseconds, amounts as text,
// type MERCHPAY. Assumed: all of the export (Airtel publishes none; the columns are the summary's fields), the other
// types, that the summary lists other movements than payments, its page limit, and the tariff.
import type { Tariff, WireReaction } from '../network.ts'
import { csvOf, type Line, localTime, type Moved, percentage, settlesAll } from '../statements.ts'
import { isDebited, refundIdOf, type Wallet, type WalletPayment } from './wallet.ts'

export const AIRTEL_TARIFF: Tariff = percentage(1_500)
export const AIRTEL_SETTLEMENT = settlesAll((day) => `BW${day.slice(2)}.2300.S00001`)

export function movementsOf(wallet: Wallet): Moved<WalletPayment>[] {
  return wallet.all().flatMap((payment): Moved<WalletPayment>[] => {
    const { id, msisdn, amount, airtelMoneyId, refundedAt } = payment
    const ending = wallet.ending(payment)
    if (ending === undefined || !isDebited(ending)) return []
    const about = { id, clientReference: id, msisdn, of: payment }
    const refunds = refundedAt.map(
      (at): Moved<WalletPayment> => ({
        ...about,
        ...{ kind: 'refund', at, amountXof: -amount, reference: refundIdOf(airtelMoneyId) },
      }),
    )
    return [{ ...about, kind: 'payment', at: ending.at, amountXof: amount, reference: airtelMoneyId }, ...refunds]
  })
}

export const unknownReferences = (number: number) => ({
  reference: `MP000000.0000.X${number}`,
  clientReference: `CAISSE${number}`,
})

const HEADING = [
  ...['Transaction ID', 'External ID', 'Transaction Date', 'Status', 'Service Type', 'Payer', 'Payee'],
  ...['Amount', 'Service Charge', 'Balance'],
]
const MERCHANT = 'SIMULATED MERCHANT'
const TYPES = {
  payment: 'MERCHPAY',
  refund: 'MERCHREFUND',
  transfer: 'TRANSFER',
  fee: 'FEE',
  settlement: 'BANKTRANSFER',
  withheld: 'HOLD',
} as const

export function writeStatement(
  lines: readonly Line<WalletPayment>[],
  currency: string,
): { bytes: Uint8Array; pages: object[] } {
  const rows = lines.map((line) => {
    const { date, time } = localTime(line.at)
    const [payer, payee] = partiesOf(line)
    const head = [line.reference, line.clientReference, `${date.toReversed().join('-')} ${time}`, 'TS']
    return [...head, TYPES[line.kind], payer, payee, line.amountXof, line.feeXof, line.balanceXof]
  })
  const pages = Array.from({ length: Math.max(1, Math.ceil(lines.length / MOST)) }, (_, page) =>
    summaryOf(lines, currency, { offset: page * MOST, limit: MOST }),
  )
  return { bytes: csvOf(HEADING, rows), pages }
}

function partiesOf({ kind, msisdn, amountXof }: Line<WalletPayment>): [payer: string, payee: string] {
  const other = { settlement: 'BANK', withheld: 'AIRTEL' }[kind as string] ?? msisdn
  return amountXof < 0 ? [MERCHANT, other] : [other, MERCHANT]
}

const MOST = 100

/** Undefined for a query without a period. */
export function answerSummary(
  all: readonly Line<WalletPayment>[],
  query: URLSearchParams,
  currency: string,
): WireReaction | undefined {
  const [from, to, limit, offset] = ['from', 'to', 'limit', 'offset'].map((name) =>
    Number(query.get(name) ?? Number.NaN),
  )
  if (![from, to].every(Number.isSafeInteger)) return undefined
  const lines = all.filter(({ listedAt }) => listedAt >= (from as number) && listedAt < (to as number))
  const [start, most] = [wholeOr(offset, 0), Math.min(Math.max(wholeOr(limit, 10), 1), MOST)]
  return { code: 200, body: summaryOf(lines, currency, { offset: start, limit: most }) }
}

const wholeOr = (value: number | undefined, otherwise: number): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : otherwise

function summaryOf(
  lines: readonly Line<WalletPayment>[],
  currency: string,
  { offset, limit }: { offset: number; limit: number },
): object {
  const transactions = lines.slice(offset, offset + limit).map((line) => {
    const [payer, payee] = partiesOf(line).map((name) => ({ currency, msisdn: name, name }))
    return {
      charges: { service: String(line.feeXof) },
      payee,
      payer,
      service: { type: TYPES[line.kind] },
      transaction: {
        airtel_money_id: line.reference,
        amount: String(Math.abs(line.amountXof)),
        created_at: line.at,
        id: line.clientReference,
        reference_number: line.of?.reference ?? '',
        status: 'TS',
      },
    }
  })
  const status = { code: '200', message: 'SUCCESS', result_code: 'ESB000010', success: true }
  return { data: { count: lines.length, transactions }, status }
}
