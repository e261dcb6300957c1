// The statements of the simulated Airtel Money: the export of its portal, and the summary of
// transactions by API. Fact, from public clients of the API: path, query and fields of the summary,
// times in milliseconds, amounts as text, type MERCHPAY. Fact, from a public program that reads the
// user report of Uganda's portal: the headings below title rows, dates as 21-MAR-2026 19:57:32,
// Transaction Success, and the types MR, MP (to the bank), SCP (service charge). Assumed: that
// Niger's is the same and in local time, signs, the other types, the references of service charges,
// that the summary lists other movements than payments, its page limit, and the tariff.
import type { StatementPeriod, Tariff, WireReaction } from '../network.ts'
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
        kind: 'refund',
        at,
        amountXof: -amount,
        reference: refundIdOf(airtelMoneyId),
      }),
    )
    return [
      { ...about, kind: 'payment', at: ending.at, amountXof: amount, reference: airtelMoneyId },
      ...refunds,
    ]
  })
}

export const unknownReferences = (number: number) => ({
  reference: `MP000000.0000.X${number}`,
  clientReference: `CAISSE${number}`,
})

const HEADING = [
  'S. No.',
  'Transaction ID',
  'Sender Msisdn',
  'Transaction Amount',
  'Transaction Date and Time',
  'Transaction Type',
  'Receiver Msisdn',
  'Service Name',
  'Transaction Status',
  'Previous Balance',
  'Post Balance',
  'external_transaction_id',
]
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const MERCHANT = 'SIMULATED MERCHANT'
/** In the export, and in the summary. */
const TYPES = {
  payment: ['MR', 'Merchant Payment', 'MERCHPAY'],
  refund: ['REFUND', 'Refund', 'MERCHREFUND'],
  transfer: ['TRANSFER', 'Transfer', 'TRANSFER'],
  fee: ['SCP', 'Service Charge', 'SCP'],
  settlement: ['MP', 'ChannelWallet To Bank Transfer', 'BANKTRANSFER'],
  withheld: ['HOLD', 'Hold', 'HOLD'],
} as const

export function writeStatement(
  lines: readonly Line<WalletPayment>[],
  { from, to }: StatementPeriod,
  currency: string,
): { bytes: Uint8Array; pages: object[] } {
  const titles = [
    ['User Transaction Report', ''],
    ['From', writtenTime(from)],
    ['To', writtenTime(to - 1)],
    ['User', MERCHANT],
    ['', ''],
  ]
  const rows = lines.map((line, at) => {
    const { reference, clientReference, amountXof, balanceXof } = line
    const [sender, receiver] = partiesOf(line)
    const [type, service] = TYPES[line.kind]
    const head = [
      at + 1,
      reference,
      sender,
      amountXof,
      writtenTime(line.at),
      type,
      receiver,
      service,
    ]
    return [...head, 'Transaction Success', balanceXof - amountXof, balanceXof, clientReference]
  })
  const count = summarized(lines).length
  const pages = Array.from({ length: Math.max(1, Math.ceil(count / MOST)) }, (_, page) =>
    summaryOf(lines, currency, { offset: page * MOST, limit: MOST }),
  )
  return { bytes: csvOf(titles[0] as string[], [...titles.slice(1), HEADING, ...rows]), pages }
}

/** As in 15-NOV-2026 09:30:00. */
function writtenTime(at: number): string {
  const { date, time } = localTime(at)
  const [year, month, day] = date
  return `${day}-${MONTHS[Number(month) - 1]}-${year} ${time}`
}

function partiesOf({
  kind,
  msisdn,
  amountXof,
}: Line<WalletPayment>): [payer: string, payee: string] {
  const other = { settlement: 'BANK', withheld: 'AIRTEL', fee: 'AIRTEL' }[kind as string] ?? msisdn
  return amountXof < 0 ? [MERCHANT, other] : [other, MERCHANT]
}

const MOST = 100

/** Undefined for a query without a period. */
export function answerSummary(
  all: readonly Line<WalletPayment>[],
  query: URLSearchParams,
  currency: string,
): WireReaction | undefined {
  const asked = Object.fromEntries(query)
  const [from, to] = [Number(asked.from), Number(asked.to)]
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return undefined
  const lines = all.filter(({ listedAt }) => listedAt >= from && listedAt < to)
  const [offset, limit] = [
    wholeOr(asked.offset, 0),
    Math.min(Math.max(wholeOr(asked.limit, 10), 1), MOST),
  ]
  return { code: 200, body: summaryOf(lines, currency, { offset, limit }) }
}

const wholeOr = (text: string | undefined, otherwise: number): number =>
  /^\d{1,9}$/.test(text ?? '') ? Number(text) : otherwise

/** The charge of a payment is in its own entry. */
const summarized = (lines: readonly Line<WalletPayment>[]): Line<WalletPayment>[] =>
  lines.filter(({ kind }) => kind !== 'fee')

function summaryOf(
  lines: readonly Line<WalletPayment>[],
  currency: string,
  { offset, limit }: { offset: number; limit: number },
): object {
  const fees = new Map(
    lines.filter(({ kind }) => kind === 'fee').map((fee) => [fee.reference, -fee.amountXof]),
  )
  const listed = summarized(lines)
  const transactions = listed.slice(offset, offset + limit).map((line) => {
    const [payer, payee] = partiesOf(line).map((name) => ({ currency, msisdn: name, name }))
    return {
      charges: { service: String(line.kind === 'payment' ? (fees.get(line.reference) ?? 0) : 0) },
      payee,
      payer,
      service: { type: TYPES[line.kind][2] },
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
  return { data: { count: listed.length, transactions }, status }
}
